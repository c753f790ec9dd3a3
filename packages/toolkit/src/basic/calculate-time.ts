import { isToolError, type ToolError, toolError } from "@capstan/core";
import type { Temporal } from "temporal-polyfill";
import {
  addDuration,
  durationBetween,
  durationUnits,
  formatDuration,
} from "./calendar-arithmetic.ts";
import type { DateTimeArguments } from "./date-time.ts";
import { formatTime, isoTime, weekdayOf } from "./format-time.ts";
import { parseTime } from "./parse-time.ts";
import { zoneProblem, type ZonedTime } from "./zone.ts";

// ISO 8601 years have four digits: 0002 to 9998 leaves room for any zone's offset.
const earliest = Date.parse("0002-01-01T00:00:00Z");
const latest = Date.parse("9998-12-31T23:59:59Z");

/**
 * Carries out an operation of `DateTime`.
 *
 * @param now the current time, in milliseconds since the epoch
 */
export function calculateTime(args: DateTimeArguments, now: number) {
  const { zone, toZone = zone } = args;
  const wrongZone = zoneProblem(zone) ?? zoneProblem(toZone);
  if (wrongZone !== undefined) return invalid("unknown_zone", wrongZone);
  const time = parseTime(args.operation === "now" ? "now" : (args.time ?? "now"), zone, now);
  if (isToolError(time)) return time;
  if (args.operation === "difference") return difference(args, time.time.withTimeZone(toZone), now);
  const result = args.operation === "add" ? add(args, time.time) : time;
  if (isToolError(result)) return result;
  return describe({ ...result, time: result.time.withTimeZone(toZone) }, args);
}

function add(
  { duration = {} }: DateTimeArguments,
  time: Temporal.ZonedDateTime,
): ZonedTime | ToolError {
  for (const unit of durationUnits.slice(0, 4)) {
    if (!Number.isInteger(duration[unit] ?? 0)) {
      return invalid(
        "invalid_duration",
        `duration.${unit} is ${duration[unit]}; years to days must be whole numbers.`,
      );
    }
  }
  if (durationUnits.some((unit) => Math.abs(duration[unit] ?? 0) > 1e12)) {
    return outOfRange();
  }
  const moved = addDuration(time, duration);
  return moved !== undefined && inRange(moved.time) ? moved : outOfRange();
}

function describe({ time, note }: ZonedTime, { format, locale }: DateTimeArguments) {
  if (!inRange(time)) return outOfRange();
  const iso = isoTime(time);
  const weekday = weekdayOf(time);
  const shown = formatTime(time, format ?? "iso", locale);
  if (isToolError(shown)) return shown;
  const line = format === undefined ? `${iso} (${weekday}, ${time.timeZoneId})` : shown;
  return {
    iso,
    zone: time.timeZoneId,
    offset: time.offset,
    weekday,
    unix: Math.floor(time.epochMilliseconds / 1000),
    formatted: shown,
    text: note === undefined ? line : `${line}\n${note}`,
  };
}

function difference({ until, zone }: DateTimeArguments, from: Temporal.ZonedDateTime, now: number) {
  if (until === undefined) {
    return invalid(
      "missing_argument",
      'A difference needs "until", the second time ("time" is the first; its default is now).',
    );
  }
  const parsed = parseTime(until, zone, now);
  if (isToolError(parsed)) return parsed;
  const to = parsed.time.withTimeZone(from.timeZoneId);
  if (!inRange(from) || !inRange(to)) return outOfRange();
  const { sign, duration } = durationBetween(from, to);
  const seconds = (to.epochMilliseconds - from.epochMilliseconds) / 1000;
  const before = sign < 0 ? " (until is before time)" : "";
  return {
    from: isoTime(from),
    to: isoTime(to),
    sign,
    ...duration,
    totalSeconds: seconds,
    totalDays: seconds / 86_400,
    text: `${formatDuration(duration)}${before}; in all ${seconds.toLocaleString("en-US")} seconds = ${(seconds / 86_400).toLocaleString("en-US", { maximumFractionDigits: 3 })} days`,
  };
}

function inRange({ epochMilliseconds }: Temporal.ZonedDateTime): boolean {
  return epochMilliseconds >= earliest && epochMilliseconds <= latest;
}

function outOfRange(): ToolError {
  return invalid("out_of_range", "The result lies outside the years 0002 to 9998.");
}

function invalid(code: string, message: string): ToolError {
  return toolError({ code, message });
}
