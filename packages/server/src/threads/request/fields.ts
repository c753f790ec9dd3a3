import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import { badRequest, isObject, RequestError, wrongType } from "../../http/errors.ts";
import { parseResponseFormat } from "../../http/fields/parse-response-format.ts";

/** The metadata of an object: texts that a client stores with it. */
export type Metadata = { readonly [key: string]: string };

export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((given) => Object.keys(given).length <= 16, "expected at most 16 properties.")
  .nullish();

/** Fields that assistants and runs have in common. */
export const samplingFields = {
  instructions: z.string().max(256_000).nullish(),
  metadata,
  model: z.string().min(1).nullish(),
  reasoning_effort: z.string().nullish(),
  response_format: z.unknown().optional(),
  temperature: z.number().min(0).max(2).nullish(),
  tools: z.unknown().optional(),
  top_p: z.number().min(0).max(1).nullish(),
};

/** A `response_format` as the API shows it. */
export type WireFormat = "auto" | JsonObject;

/**
 * Checks a `response_format`.
 *
 * @returns undefined if the request does not give it
 * @throws RequestError
 */
export function wireFormat(given: unknown): WireFormat | undefined {
  if (given == null) return undefined;
  if (given === "auto") return given;
  parseResponseFormat(given);
  return given as JsonObject;
}

/** Returns a request's body as an object. @throws RequestError */
export function objectBody(body: unknown): { readonly [name: string]: unknown } {
  if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
  return body;
}

/**
 * Rejects fields that have no effect, so that nothing that a client sends is dropped silently.
 *
 * @param at the path of the object in the request; empty for the whole request
 * @throws RequestError that names the first such field
 */
export function rejectUnknown(
  given: object,
  known: object,
  { at = "", advice = "" }: { readonly at?: string; readonly advice?: string } = {},
): void {
  const name = Object.keys(given).find((each) => !Object.hasOwn(known, each));
  if (name === undefined) return;
  const param = `${at === "" ? "" : `${at}.`}${name.slice(0, 100)}`;
  const message = `Unknown parameter: '${param}'. ${advice || `The parameters are: ${Object.keys(known).join(", ")}.`}`;
  throw new RequestError({ param, code: "unknown_parameter", message });
}

/** The ids in a list of a request, each once. */
export function idList(given: readonly string[], at: string, max: number): readonly string[] {
  const ids = [...new Set(given)];
  if (ids.length <= max) return ids;
  throw badRequest(at, `Invalid '${at}': got ${ids.length} ids. Send at most ${max}.`);
}
