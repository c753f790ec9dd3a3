import type { JsonObject } from "../base/json.ts";
import type { ToolDefinition } from "../model/tool-definition.ts";
import { describeType } from "../json/json-type.ts";
import { schemaView } from "./schema-view.ts";

/** Arguments without the executor's `limit`. */
export interface ExtractedLimit {
  readonly args: JsonObject;
  readonly limit: number | undefined;
  /** What was done beside taking it, in words. */
  readonly repairs: readonly string[];
}

/**
 * Takes the executor's `limit` out of the arguments, before they are validated and shown. It
 * stands in no definition, the prompt's rules tell of it once. One that is not a number is
 * dropped, which is noted: it only says how much is shown.
 */
export function extractLimit(args: JsonObject, definition: ToolDefinition): ExtractedLimit {
  if (!Object.hasOwn(args, "limit") || !takesLimit(definition))
    return { args, limit: undefined, repairs: none };
  const { limit, ...rest } = args;
  const number = typeof limit === "string" && limit.trim() !== "" ? Number(limit) : limit;
  if (typeof number === "number" && Number.isFinite(number))
    return { args: rest, limit: Math.trunc(number), repairs: none };
  const repairs = [`/limit: ${describeType(limit)} left out, which is no number`];
  return { args: rest, limit: undefined, repairs };
}

const none: readonly string[] = [];

/** Whether the argument `limit` is the executor's: it is the tool's where its schema has one. */
function takesLimit({ function: { parameters } }: ToolDefinition): boolean {
  return parameters === undefined || !schemaView(parameters).keys(parameters).includes("limit");
}
