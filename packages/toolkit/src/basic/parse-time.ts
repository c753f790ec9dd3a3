import { instantOf, type LocalTime, utcOf } from "./zone.ts";

export type ParsedTime =
  | { readonly status: "parsed"; readonly instant: number; readonly note?: string }
  | { readonly status: "invalid"; readonly message: string };

const isoTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?(?:\[[^\]]*\])?$/i;

/**
 * Reads a point in time: `now`, ISO 8601 (a date alone is its midnight), or Unix time in seconds
 * (9–10 digits) or milliseconds (12–13). Without an offset it is a time on the clocks of `zone`.
 */
export function parseTime(text: string, zone: string, now: number): ParsedTime {
  const trimmed = text.trim();
  if (/^now$/i.test(trimmed)) return { status: "parsed", instant: now };
  if (/^-?\d{9,10}$/.test(trimmed)) return { status: "parsed", instant: Number(trimmed) * 1000 };
  if (/^-?\d{12,13}$/.test(trimmed)) return { status: "parsed", instant: Number(trimmed) };
  const match = isoTime.exec(trimmed);
  if (match === null) {
    return invalid(
      `"${text.slice(0, 100)}" is no time that can be read. Write it as 2026-03-29, 2026-03-29T14:30, 2026-03-29T14:30:00+02:00, Unix seconds, or "now".`,
    );
  }
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = "", offset] = match;
  const local: LocalTime = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, "0")),
  };
  const problem = problemOf(local);
  if (problem !== undefined) return invalid(`"${text}" is no time: ${problem}.`);
  if (offset === undefined) return { status: "parsed", ...instantOf(local, zone) };
  const ahead = offsetMs(offset);
  if (ahead === undefined) return invalid(`"${text}" has no possible offset: ${offset}.`);
  return { status: "parsed", instant: utcOf(local) - ahead };
}

function problemOf(local: LocalTime): string | undefined {
  if (local.year < 1) return "years go from 0001 to 9999";
  if (local.month < 1 || local.month > 12) return `there is no month ${local.month}`;
  const days = daysInMonth(local.year, local.month);
  if (local.day < 1 || local.day > days) {
    return `${local.year}-${String(local.month).padStart(2, "0")} has ${days} days, not ${local.day}`;
  }
  if (local.hour > 23) return `hours go from 00 to 23, not ${local.hour}`;
  if (local.minute > 59) return `minutes go from 00 to 59, not ${local.minute}`;
  if (local.second > 59) return `seconds go from 00 to 59, not ${local.second}`;
  return undefined;
}

export function daysInMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

function offsetMs(offset: string): number | undefined {
  if (/^z$/i.test(offset)) return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function invalid(message: string): ParsedTime {
  return { status: "invalid", message };
}
