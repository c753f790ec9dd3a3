import { formatDay } from "../texts/numbers/date.ts";
import { timeTexts } from "../texts/time.ts";

/**
 * Formats milliseconds for users.
 *
 * @example formatDuration(40) // "40 ms"; 1234 → "1.2 s"; 75_000 → "1 min 15 s"
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return timeTexts.milliseconds(whole);
  if (whole < 59_950) return timeTexts.seconds(whole / 1000);
  const seconds = Math.round(whole / 1000);
  if (seconds < 3600) return timeTexts.minutes(Math.floor(seconds / 60), seconds % 60);
  return timeTexts.hours(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60));
}

/** Formats a running time without milliseconds, so that it does not flicker. */
export function formatElapsed(ms: number): string {
  return ms < 59_950 ? timeTexts.seconds(Math.max(0, ms) / 1000) : formatDuration(ms);
}

/** Formats how long ago a time was, roughly: `now`, `5 min`, `3 h`, then the date. */
export function formatAge(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return timeTexts.now;
  if (minutes < 60) return timeTexts.minutesAgo(minutes);
  if (minutes < 24 * 60) return timeTexts.hoursAgo(Math.floor(minutes / 60));
  return formatDay(at);
}
