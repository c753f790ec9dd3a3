import { Temporal } from "temporal-polyfill";
import { timeOf, type ZonedTime } from "./zone.ts";

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

/**
 * Adds years, months, weeks and days on the calendar of the time's zone, then hours, minutes and
 * seconds as exact time. 31 January plus one month is the last day of February, and a day may have
 * 23 hours.
 *
 * @returns `undefined` if the result is outside the calendar
 */
export function addDuration(
  time: Temporal.ZonedDateTime,
  { hours = 0, minutes = 0, seconds = 0, ...date }: Duration,
): ZonedTime | undefined {
  const { years = 0, months = 0, weeks = 0, days = 0 } = date;
  const milliseconds = Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000);
  try {
    const isOnCalendar = [years, months, weeks, days].some((amount) => amount !== 0);
    const moved = isOnCalendar
      ? timeOf(time.toPlainDateTime().add({ years, months, weeks, days }), time.timeZoneId)
      : { time };
    return { ...moved, time: moved.time.add({ milliseconds }) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the difference between two times of one zone in calendar units, largest units first. */
export function durationBetween(
  from: Temporal.ZonedDateTime,
  to: Temporal.ZonedDateTime,
): { readonly sign: 1 | -1; readonly duration: Required<Duration> } {
  const isForward = Temporal.ZonedDateTime.compare(from, to) <= 0;
  const [start, end] = isForward ? [from, to] : [to, from];
  const { years, months, weeks, days, hours, minutes, seconds, milliseconds } = start.until(end, {
    largestUnit: "years",
  });
  return {
    sign: isForward ? 1 : -1,
    duration: {
      years,
      months,
      weeks,
      days,
      hours,
      minutes,
      seconds: seconds + milliseconds / 1000,
    },
  };
}

/** Formats a duration as `2 years, 1 day`, or as `0 seconds` if it is empty. */
export function formatDuration(duration: Duration): string {
  const parts = durationUnits.flatMap((unit) => {
    const count = duration[unit] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? unit.slice(0, -1) : unit}`];
  });
  return parts.length === 0 ? "0 seconds" : parts.join(", ");
}
