import { type ToolError, toolError } from "@capstan/core";
import type { Temporal } from "temporal-polyfill";

const styles: { readonly [name: string]: Intl.DateTimeFormatOptions } = {
  short: { dateStyle: "short", timeStyle: "short" },
  medium: { dateStyle: "medium", timeStyle: "medium" },
  long: { dateStyle: "long", timeStyle: "long" },
  full: { dateStyle: "full", timeStyle: "full" },
};

/** Formats a time as `2026-03-29T14:30:00+02:00`, with milliseconds if it has any. */
export function isoTime(time: Temporal.ZonedDateTime): string {
  return time.toPlainDateTime().toString() + (time.timeZoneId === "UTC" ? "Z" : time.offset);
}

/** Returns the day of the week in English. */
export function weekdayOf(time: Temporal.ZonedDateTime): string {
  return time.toLocaleString("en-US", { weekday: "long" });
}

/**
 * Formats a time in a named style (`iso`, `date`, `time`, `unix`, `short`, `medium`, `long`,
 * `full`) or by a pattern of Unicode's letters, for example `EEEE d MMMM yyyy 'at' HH:mm`.
 */
export function formatTime(
  time: Temporal.ZonedDateTime,
  format: string,
  locale: string = "en-US",
): string | ToolError {
  try {
    Intl.getCanonicalLocales(locale);
  } catch {
    return invalidFormat(
      `"${locale}" is not a language tag. Write for example en-GB, de or zh-CN.`,
    );
  }
  if (format === "iso") return isoTime(time);
  if (format === "unix") return String(Math.floor(time.epochMilliseconds / 1000));
  if (format === "date") return formatPattern(time, "yyyy-MM-dd", locale);
  if (format === "time") return formatPattern(time, "HH:mm:ss", locale);
  const style = Object.hasOwn(styles, format) ? styles[format] : undefined;
  if (style !== undefined) return time.toLocaleString(locale, style);
  return formatPattern(time, format, locale);
}

type Field = (time: Temporal.ZonedDateTime, locale: string) => string;

const padded = (value: number, size: number): string => String(value).padStart(size, "0");
const named =
  (options: Intl.DateTimeFormatOptions): Field =>
  (time, locale) =>
    time.toLocaleString(locale, options);
const part =
  (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): Field =>
  (time, locale) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: time.timeZoneId })
      .formatToParts(time.epochMilliseconds)
      .find((found) => found.type === type)?.value ?? "";

const year4: Field = ({ year }) => padded(year, 4);
const day2: Field = ({ day }) => padded(day, 2);
const dayPeriod = part({ hour: "numeric", hourCycle: "h12" }, "dayPeriod");

/** Includes the spellings `YYYY`, `DD` and `A` of other libraries. */
const fields: { readonly [token: string]: Field } = {
  yyyy: year4,
  YYYY: year4,
  yy: ({ year }) => padded(year % 100, 2),
  MMMM: named({ month: "long" }),
  MMM: named({ month: "short" }),
  MM: ({ month }) => padded(month, 2),
  M: ({ month }) => String(month),
  dd: day2,
  DD: day2,
  d: ({ day }) => String(day),
  EEEE: named({ weekday: "long" }),
  EEE: named({ weekday: "short" }),
  HH: ({ hour }) => padded(hour, 2),
  H: ({ hour }) => String(hour),
  hh: ({ hour }) => padded(hour % 12 || 12, 2),
  h: ({ hour }) => String(hour % 12 || 12),
  mm: ({ minute }) => padded(minute, 2),
  m: ({ minute }) => String(minute),
  ss: ({ second }) => padded(second, 2),
  s: ({ second }) => String(second),
  SSS: ({ millisecond }) => padded(millisecond, 3),
  a: dayPeriod,
  A: dayPeriod,
  XXX: ({ offset }) => offset,
  z: part({ hour: "numeric", timeZoneName: "short" }, "timeZoneName"),
  VV: ({ timeZoneId }) => timeZoneId,
};

function formatPattern(
  time: Temporal.ZonedDateTime,
  pattern: string,
  locale: string,
): string | ToolError {
  if (pattern.length > 200) return invalidFormat("The format is longer than 200 characters.");
  let text = "";
  for (const [piece] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g)) {
    const field = Object.hasOwn(fields, piece) ? fields[piece] : undefined;
    if (field !== undefined) text += field(time, locale);
    else if (piece === "''") text += "'";
    else if (piece.length > 1 && piece.startsWith("'")) {
      text += piece.slice(1, -1).replaceAll("''", "'");
    } else if (piece === "T" || /^[^A-Za-z]$/.test(piece)) text += piece;
    else
      return invalidFormat(
        `The format has no "${piece}". Use a style (iso, date, time, unix, short, medium, long, full) or a pattern of ${Object.keys(fields).join(" ")}, with other words in '…'.`,
      );
  }
  return text;
}

function invalidFormat(message: string): ToolError {
  return toolError({ code: "invalid_format", message });
}
