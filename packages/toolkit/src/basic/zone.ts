import { nearestNames } from "@capstan/core/host";
import { Temporal } from "temporal-polyfill";
import { didYouMean } from "../text/did-you-mean.ts";

export interface ZonedTime {
  readonly time: Temporal.ZonedDateTime;
  /** A note if the clocks of the zone skip or repeat the requested time. */
  readonly note?: string;
}

/** Returns the error for an unknown zone, with suggestions, or `undefined` if the zone exists. */
export function zoneProblem(zone: string): string | undefined {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
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
    return `"${zone}" is not a time zone. Zones are IANA names like Europe/Berlin, "UTC", or offsets like +02:00.${didYouMean([...near].slice(0, 3))}`;
  }
}

/** Returns an instant, in milliseconds since the epoch, in a zone. */
export function timeAt(instant: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
}

/**
 * Returns the time at which the clocks of a zone show `local`. Uses the earlier of two repeated
 * times, and moves a skipped time forward by the length of the gap. `note` mentions both.
 */
export function timeOf(local: Temporal.PlainDateTime, zone: string): ZonedTime {
  const time = local.toZonedDateTime(zone);
  const later = local.toZonedDateTime(zone, { disambiguation: "later" });
  if (!time.toPlainDateTime().equals(local))
    return { time, note: `The clocks in ${zone} skip that time; it was moved forward.` };
  if (!time.equals(later))
    return { time, note: `The clocks in ${zone} show that time twice; this is the first.` };
  return { time };
}
