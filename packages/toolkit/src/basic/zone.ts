import { nearestNames } from "@capstan/core/host";
import { didYouMean } from "../text/did-you-mean.ts";

/** A wall clock's reading. Months count from 1. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What is wrong with a zone's name, and which are like it; undefined where it is one. */
export function zoneProblem(zone: string): string | undefined {
  try {
    clockOf(zone);
    return undefined;
  } catch {
    const names = [...Intl.supportedValuesOf("timeZone"), "UTC"];
    const wanted = zone.replaceAll(" ", "_");
    const cities = new Map(names.map((name) => [name.slice(name.lastIndexOf("/") + 1), name]));
    const near = new Set([
      ...nearestNames(wanted.slice(wanted.lastIndexOf("/") + 1), cities.keys(), 2).map(
        (city) => cities.get(city) ?? city,
      ),
      ...nearestNames(wanted, names, 2),
    ]);
    return `"${zone}" is no time zone. Zones are IANA names like Europe/Berlin, "UTC", or offsets like +02:00.${didYouMean([...near].slice(0, 3))}`;
  }
}

/** Milliseconds that a zone is ahead of UTC at an instant (ms since the epoch). */
export function offsetAt(instant: number, zone: string): number {
  const local = localTimeAt(instant, zone);
  return utcOf(local) - instant;
}

/** What the clocks of a zone show at an instant. */
export function localTimeAt(instant: number, zone: string): LocalTime {
  const parts: { [type: string]: number } = {};
  for (const part of clockOf(zone).formatToParts(instant)) parts[part.type] = Number(part.value);
  const { year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second, millisecond: ((instant % 1000) + 1000) % 1000 };
}

/**
 * The instant at which the clocks of a zone show `local`. A time that comes twice is the earlier
 * one; a time that is skipped moves on by what was skipped. Both are said in `note`.
 */
export function instantOf(
  local: LocalTime,
  zone: string,
): { readonly instant: number; readonly note?: string } {
  const wall = utcOf(local);
  const day = 24 * 60 * 60 * 1000;
  const before = offsetAt(wall - day, zone);
  const after = offsetAt(wall + day, zone);
  const fits = [...new Set([before, after])]
    .map((offset) => wall - offset)
    .filter((instant) => utcOf(localTimeAt(instant, zone)) === wall)
    .toSorted((a, b) => a - b);
  const [first] = fits;
  if (first === undefined) {
    return {
      instant: wall - before,
      note: `The clocks in ${zone} skip that time; it was moved on.`,
    };
  }
  if (fits.length === 1) return { instant: first };
  return {
    instant: first,
    note: `The clocks in ${zone} show that time twice; the first is meant.`,
  };
}

/** The reading taken as if it were UTC. */
export function utcOf(local: LocalTime): number {
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(local.year, local.month - 1, local.day);
  date.setUTCHours(local.hour, local.minute, local.second, local.millisecond);
  return date.getTime();
}

/** `+02:00`; seconds where there are any, as before zones were standard. */
export function formatOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  return (offset < 0 ? "-" : "+") + parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** Making one is slow; there are few zones, but a model may ask for any. */
function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (clocks.size >= 50) clocks.clear();
  clocks.set(zone, clock);
  return clock;
}
