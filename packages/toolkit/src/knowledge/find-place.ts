import type { ToolContext } from "@capstan/core";
import { NetworkError } from "@capstan/sandbox";
import { z } from "zod";
import { fetchJson, type SendRequest } from "../service/service-client.ts";

/** A place with its position. */
export interface Place {
  readonly name: string;
  readonly region?: string;
  readonly country?: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly population?: number;
}

/** The access of the weather tool to Open-Meteo. */
export interface WeatherAccess {
  readonly send: SendRequest;
  readonly userAgent: string;
  readonly weatherUrl: string;
  readonly geocodingUrl: string;
}

interface FoundPlace {
  readonly place: Place;
  /** Other places of this name. */
  readonly others: readonly Place[];
}

/** The reply has no `results` if no place matches. */
const geocodingReply = z.object({
  results: z
    .array(
      z.object({
        name: z.string(),
        latitude: z.number(),
        longitude: z.number(),
        country: z.string().optional(),
        country_code: z.string().optional(),
        admin1: z.string().optional(),
        admin2: z.string().optional(),
        population: z.number().optional(),
      }),
    )
    .default([]),
});

type Hit = z.infer<typeof geocodingReply>["results"][number];

/** A place is chosen if its population is at least this many times that of the next one. */
const dominance = 5;

/**
 * Finds a place by its name, or parses a position such as `52.52, 13.41`. Parts after a comma
 * select among places of the same name, for example `Springfield, Illinois`.
 *
 * @throws NetworkError `no_such_place`, or `ambiguous_place` with the possible places
 */
export async function findPlace(
  written: string,
  { language, country }: { readonly language: string; readonly country: string | undefined },
  context: Pick<ToolContext, "signal" | "denied">,
  access: WeatherAccess,
): Promise<FoundPlace> {
  const position = positionOf(written);
  if (position !== undefined) return { place: position, others: [] };
  const [name = "", ...qualifiers] = written.split(",").map((part) => part.trim());
  const url = new URL("/v1/search", access.geocodingUrl);
  url.search = new URLSearchParams({
    name,
    count: "20",
    language,
    format: "json",
    ...(country !== undefined && { countryCode: country }),
  }).toString();
  const body = await fetchJson(
    access.send,
    { url, service: "Open-Meteo", headers: { "user-agent": access.userAgent }, context },
    openMeteoReason,
  );
  const read = geocodingReply.safeParse(body);
  if (!read.success) throw unexpected();
  const hits = read.data.results.filter((hit) => qualifiers.every((part) => isPartOf(hit, part)));
  const [first] = hits;
  if (first === undefined) {
    const nearby = read.data.results.slice(0, 8).map(placeOf);
    throw new NetworkError({
      code: "no_such_place",
      message:
        nearby.length === 0
          ? `No place is called "${name}". Check the spelling, or give a position such as "52.52, 13.41".`
          : `No place matches "${written}". There are: ${listed(nearby)}.`,
    });
  }
  const same = hits.filter((hit) => sameName(hit.name, first.name));
  const [largest = first, second] = same.toSorted(
    (a, b) => (b.population ?? 0) - (a.population ?? 0),
  );
  const others = same.filter((hit) => hit !== largest).map(placeOf);
  if (second !== undefined && (largest.population ?? 0) < dominance * (second.population ?? 1))
    throw new NetworkError({
      code: "ambiguous_place",
      message: `There are ${same.length} places called "${first.name}": ${listed([largest, ...same.filter((hit) => hit !== largest)].slice(0, 10).map(placeOf))}. Name the region, for example "${first.name}, ${largest.admin1 ?? largest.country ?? ""}", or give the position.`,
      details: { places: same.slice(0, 10).map((hit) => ({ ...placeOf(hit) })) },
    });
  return { place: placeOf(largest), others };
}

/** Returns the reason in a failed reply. */
export function openMeteoReason(body: unknown): string | undefined {
  const read = z.object({ reason: z.string() }).safeParse(body);
  return read.success ? read.data.reason : undefined;
}

/** Returns the failure for a reply that does not have the documented form. */
export function unexpected(): NetworkError {
  return new NetworkError({
    code: "unexpected_reply",
    message: "Open-Meteo sent an unexpected reply. Try again later.",
    retryable: true,
  });
}

/** Returns a place in one line: `Springfield, Illinois, United States`. */
export function placeName({ name, region, country }: Place): string {
  return [name, region, country].filter((part) => part !== undefined).join(", ");
}

function listed(places: readonly Place[]): string {
  return places
    .map((place) => `${placeName(place)} (${place.latitude}, ${place.longitude})`)
    .join("; ");
}

function positionOf(written: string): Place | undefined {
  const match = /^\s*(-?\d+(?:\.\d+)?)\s*[,; ]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(written);
  if (match === null) return undefined;
  const [latitude, longitude] = [Number(match[1]), Number(match[2])];
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw new NetworkError({
      code: "no_such_place",
      message: `"${written}" is not a position: the latitude is from -90 to 90, the longitude from -180 to 180, in this order.`,
    });
  return { name: `${latitude}, ${longitude}`, latitude, longitude };
}

function placeOf({ name, admin1, country, latitude, longitude, population }: Hit): Place {
  return {
    name,
    ...(admin1 !== undefined && admin1 !== name && { region: admin1 }),
    ...(country !== undefined && { country }),
    latitude,
    longitude,
    ...(population !== undefined && { population }),
  };
}

function isPartOf(hit: Hit, part: string): boolean {
  return [hit.admin1, hit.admin2, hit.country, hit.country_code].some(
    (one) => one !== undefined && sameName(one, part),
  );
}

/** Ignores case and accents. */
function sameName(a: string, b: string): boolean {
  return a.localeCompare(b, "en", { sensitivity: "base" }) === 0;
}
