import { daysInMonth } from "./parse-time.ts";
import { instantOf, type LocalTime, localTimeAt, utcOf } from "./zone.ts";

export const durationUnits = [
  "years",
  "months",
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
] as const;

export type Duration = { readonly [unit in (typeof durationUnits)[number]]?: number | undefined };

const dayMs = 24 * 60 * 60 * 1000;
/** A year short of where dates end. */
const farthest = 8.6e15 - 366 * dayMs;

/**
 * Adds as people do: years, months, weeks and days on the calendar of the zone (31 January and a
 * month is the last of February; a day may have 23 hours), then hours, minutes and seconds as
 * exact time. A result far beyond the calendar has NaN as its instant.
 */
export function addDuration(
  instant: number,
  duration: Duration,
  zone: string,
): { readonly instant: number; readonly note?: string } {
  const { years = 0, months = 0, weeks = 0, days = 0 } = duration;
  const { hours = 0, minutes = 0, seconds = 0 } = duration;
  const exact = Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000);
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return { instant: instant + exact };
  const date = moveDate(localTimeAt(instant, zone), years, months, weeks * 7 + days);
  if (!(Math.abs(utcOf(date)) < farthest)) return { instant: Number.NaN };
  const moved = instantOf(date, zone);
  return { ...moved, instant: moved.instant + exact };
}

/** What lies between two instants on the calendar of a zone, largest units first. */
export function durationBetween(
  from: number,
  to: number,
  zone: string,
): { readonly sign: 1 | -1; readonly duration: Required<Duration> } {
  const [start, end] = from <= to ? [from, to] : [to, from];
  const first = localTimeAt(start, zone);
  const last = localTimeAt(end, zone);
  let months = (last.year - first.year) * 12 + (last.month - first.month);
  while (months > 0 && instantOf(moveDate(first, 0, months, 0), zone).instant > end) months--;
  const anchor = moveDate(first, 0, months, 0);
  let days = Math.floor((utcOf(last) - utcOf(anchor)) / dayMs) + 1;
  while (days > 0 && instantOf(moveDate(anchor, 0, 0, days), zone).instant > end) days--;
  const rest = end - instantOf(moveDate(anchor, 0, 0, days), zone).instant;
  return {
    sign: from <= to ? 1 : -1,
    duration: {
      years: Math.trunc(months / 12),
      months: months % 12,
      weeks: 0,
      days,
      hours: Math.floor(rest / 3_600_000),
      minutes: Math.floor(rest / 60_000) % 60,
      seconds: (rest % 60_000) / 1000,
    },
  };
}

/** `2 years, 1 day`; `0 seconds` where there is nothing. */
export function formatDuration(duration: Duration): string {
  const parts = durationUnits.flatMap((unit) => {
    const count = duration[unit] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? unit.slice(0, -1) : unit}`];
  });
  return parts.length === 0 ? "0 seconds" : parts.join(", ");
}

function moveDate(local: LocalTime, years: number, months: number, days: number): LocalTime {
  const month = local.year * 12 + (local.month - 1) + years * 12 + months;
  const year = Math.floor(month / 12);
  const monthOfYear = (month % 12) + 1;
  const day = Math.min(local.day, daysInMonth(year, monthOfYear));
  const date = new Date(utcOf({ ...local, year, month: monthOfYear, day }) + days * dayMs);
  return {
    ...local,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}
