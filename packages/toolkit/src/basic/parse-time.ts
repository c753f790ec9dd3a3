import { type ToolError, toolError } from "@capstan/core";
import { Temporal } from "temporal-polyfill";
import { timeAt, timeOf, type ZonedTime } from "./zone.ts";

const isoTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?(?:\[[^\]]*\])?$/i;

/**
 * Parses a point in time: `now`, ISO 8601 (a date alone is its midnight), or Unix time in seconds
 * (9–10 digits) or milliseconds (12–13). A time without an offset is local to `zone`.
 *
 * @param now milliseconds since the epoch
 */
export function parseTime(text: string, zone: string, now: number): ZonedTime | ToolError {
  const trimmed = text.trim();
  if (/^now$/i.test(trimmed)) return { time: timeAt(now, zone) };
  if (/^-?\d{9,10}$/.test(trimmed)) return { time: timeAt(Number(trimmed) * 1000, zone) };
  if (/^-?\d{12,13}$/.test(trimmed)) return { time: timeAt(Number(trimmed), zone) };
  const match = isoTime.exec(trimmed);
  if (match === null) {
    return invalid(
      `Cannot read the time "${text.slice(0, 100)}". Write it as 2026-03-29, 2026-03-29T14:30, 2026-03-29T14:30:00+02:00, Unix seconds, or "now".`,
    );
  }
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = "", offset] = match;
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, "0")),
  };
  const problem = problemOf(fields);
  if (problem !== undefined) return invalid(`"${text}" is not a time: ${problem}.`);
  const local = Temporal.PlainDateTime.from(fields);
  if (offset === undefined) return timeOf(local, zone);
  try {
    const time = local.toZonedDateTime(offset.toUpperCase() === "Z" ? "UTC" : offset);
    return { time: time.withTimeZone(zone) };
  } catch {
    return invalid(`"${text}" has an impossible offset: ${offset}.`);
  }
}

/** Names the field that is out of range; Temporal's own errors do not. */
function problemOf({
  year,
  month,
  day,
  hour,
  minute,
  second,
}: {
  readonly [field in "year" | "month" | "day" | "hour" | "minute" | "second"]: number;
}): string | undefined {
  if (year < 1) return "years go from 0001 to 9999";
  if (month < 1 || month > 12) return `there is no month ${month}`;
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month });
  if (day < 1 || day > daysInMonth)
    return `${year}-${String(month).padStart(2, "0")} has ${daysInMonth} days, not ${day}`;
  if (hour > 23) return `hours go from 00 to 23, not ${hour}`;
  if (minute > 59) return `minutes go from 00 to 59, not ${minute}`;
  if (second > 59) return `seconds go from 00 to 59, not ${second}`;
  return undefined;
}

function invalid(message: string): ToolError {
  return toolError({ code: "invalid_time", message });
}
