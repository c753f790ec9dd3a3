import { locale } from "./locale.ts";

/** Formats a date, for example `Nov 28, 2026`. @param at ms since the epoch, or a time as text */
export function formatDate(at: number | string): string {
  return new Date(at).toLocaleDateString(locale(), { dateStyle: "medium" });
}

/** Formats a date and a time of day, for example `Nov 28, 2026, 11:30 AM`. */
export function formatDateTime(at: number | string): string {
  return new Date(at).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}

/** Formats a time of day, for example `11:30 AM`. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString(locale(), { timeStyle: "short" });
}

/** Formats a day of this year, for example `Nov 28`. */
export function formatDay(at: number): string {
  return new Date(at).toLocaleDateString(locale(), { day: "numeric", month: "short" });
}

/** Formats a month, for example `November 2026`. */
export function formatMonth(at: number): string {
  return new Date(at).toLocaleDateString(locale(), { month: "long", year: "numeric" });
}
