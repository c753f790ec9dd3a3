import { formatOffset, localTimeAt, offsetAt } from "./zone.ts";

export type FormattedTime =
  | { readonly status: "formatted"; readonly text: string }
  | { readonly status: "invalid"; readonly message: string };

const styles: { readonly [name: string]: Intl.DateTimeFormatOptions } = {
  short: { dateStyle: "short", timeStyle: "short" },
  medium: { dateStyle: "medium", timeStyle: "medium" },
  long: { dateStyle: "long", timeStyle: "long" },
  full: { dateStyle: "full", timeStyle: "full" },
};

/** `2026-03-29T14:30:00+02:00`, with milliseconds where there are any. */
export function isoTime(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  const local = new Date(instant + offset).toISOString().replace(/\.000Z$|Z$/, "");
  return local + (offset === 0 && zone === "UTC" ? "Z" : formatOffset(offset));
}

/** The day of the week in English. */
export function weekdayOf(instant: number, zone: string): string {
  return intl(instant, zone, "en-US", { weekday: "long" });
}

/**
 * A time as text: a named style (`iso`, `date`, `time`, `unix`, `short`, `medium`, `long`,
 * `full`) or a pattern of Unicode's letters, e.g. `EEEE d MMMM yyyy 'at' HH:mm`.
 */
export function formatTime(
  instant: number,
  zone: string,
  format: string,
  locale: string = "en-US",
): FormattedTime {
  try {
    Intl.getCanonicalLocales(locale);
  } catch {
    return {
      status: "invalid",
      message: `"${locale}" is no language tag. Write e.g. en-GB, de or zh-CN.`,
    };
  }
  if (format === "iso") return { status: "formatted", text: isoTime(instant, zone) };
  if (format === "unix") return { status: "formatted", text: String(Math.floor(instant / 1000)) };
  if (format === "date") return formatPattern(instant, zone, "yyyy-MM-dd", locale);
  if (format === "time") return formatPattern(instant, zone, "HH:mm:ss", locale);
  const style = Object.hasOwn(styles, format) ? styles[format] : undefined;
  if (style !== undefined) return { status: "formatted", text: intl(instant, zone, locale, style) };
  return formatPattern(instant, zone, format, locale);
}

type Field = (instant: number, zone: string, locale: string) => string;

const padded = (value: number, size: number): string => String(value).padStart(size, "0");
const local =
  (pick: (time: ReturnType<typeof localTimeAt>) => string): Field =>
  (instant, zone) =>
    pick(localTimeAt(instant, zone));
const named =
  (options: Intl.DateTimeFormatOptions): Field =>
  (instant, zone, locale) =>
    intl(instant, zone, locale, options);
const part =
  (options: Intl.DateTimeFormatOptions, type: Intl.DateTimeFormatPartTypes): Field =>
  (instant, zone, locale) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
      .formatToParts(instant)
      .find((found) => found.type === type)?.value ?? "";

const year4 = local(({ year }) => padded(year, 4));
const day2 = local(({ day }) => padded(day, 2));
const dayPeriod = part({ hour: "numeric", hourCycle: "h12" }, "dayPeriod");

/** `YYYY`, `DD` and `A`, as other libraries write them, are taken too. */
const fields: { readonly [token: string]: Field } = {
  yyyy: year4,
  YYYY: year4,
  yy: local(({ year }) => padded(year % 100, 2)),
  MMMM: named({ month: "long" }),
  MMM: named({ month: "short" }),
  MM: local(({ month }) => padded(month, 2)),
  M: local(({ month }) => String(month)),
  dd: day2,
  DD: day2,
  d: local(({ day }) => String(day)),
  EEEE: named({ weekday: "long" }),
  EEE: named({ weekday: "short" }),
  HH: local(({ hour }) => padded(hour, 2)),
  H: local(({ hour }) => String(hour)),
  hh: local(({ hour }) => padded(hour % 12 || 12, 2)),
  h: local(({ hour }) => String(hour % 12 || 12)),
  mm: local(({ minute }) => padded(minute, 2)),
  m: local(({ minute }) => String(minute)),
  ss: local(({ second }) => padded(second, 2)),
  s: local(({ second }) => String(second)),
  SSS: local(({ millisecond }) => padded(millisecond, 3)),
  a: dayPeriod,
  A: dayPeriod,
  XXX: (instant, zone) => formatOffset(offsetAt(instant, zone)),
  z: part({ hour: "numeric", timeZoneName: "short" }, "timeZoneName"),
  VV: (_instant, zone) => zone,
};

function formatPattern(
  instant: number,
  zone: string,
  pattern: string,
  locale: string,
): FormattedTime {
  if (pattern.length > 200) {
    return { status: "invalid", message: "The format is longer than 200 characters." };
  }
  let text = "";
  for (const [piece] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z]/g)) {
    const field = Object.hasOwn(fields, piece) ? fields[piece] : undefined;
    if (field !== undefined) text += field(instant, zone, locale);
    else if (piece === "''") text += "'";
    else if (piece.length > 1 && piece.startsWith("'")) {
      text += piece.slice(1, -1).replaceAll("''", "'");
    } else if (piece === "T" || /^[^A-Za-z]$/.test(piece)) text += piece;
    else {
      return {
        status: "invalid",
        message: `The format knows no "${piece}". It takes a style (iso, date, time, unix, short, medium, long, full) or a pattern of ${Object.keys(fields).join(" ")}, with other words in '…'.`,
      };
    }
  }
  return { status: "formatted", text };
}

function intl(
  instant: number,
  zone: string,
  locale: string,
  options: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }).format(instant);
}
