import type { JsonObject, JsonSchema } from "../model/json.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import { describeType } from "./json-type.ts";
import { schemaView } from "./schema-view.ts";

/** The rules of the prompt say once what it does: a description in every tool would cost tokens. */
const limitSchema: JsonSchema = { type: "integer" };

const offered = new WeakMap<ToolDefinition, ToolDefinition>();

/**
 * A definition with the executor's own argument `limit`. The same definition comes back where
 * the tool is strict, so that nothing may be added, or has a `limit` of its own.
 */
export function offerLimit(definition: ToolDefinition): ToolDefinition {
  if (!takesLimit(definition)) return definition;
  const known = offered.get(definition);
  if (known) return known;
  const { parameters = { type: "object" } } = definition.function;
  const properties = {
    ...(parameters["properties"] as JsonSchema | undefined),
    limit: limitSchema,
  };
  const withLimit = {
    ...definition,
    function: { ...definition.function, parameters: { ...parameters, properties } },
  };
  offered.set(definition, withLimit);
  return withLimit;
}

/** Arguments without the executor's `limit`. */
export interface TakenLimit {
  readonly args: JsonObject;
  readonly limit: number | undefined;
  /** What was done beside taking it, in words. */
  readonly repairs: readonly string[];
}

/**
 * Takes the executor's `limit` out of the arguments, before they are validated and shown. A
 * `limit` that is not a number is dropped, which is noted: it only says how much is shown.
 */
export function takeLimit(args: JsonObject, definition: ToolDefinition): TakenLimit {
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

function takesLimit(definition: ToolDefinition): boolean {
  const { parameters, strict } = definition.function;
  return (
    strict !== true &&
    (parameters === undefined || !schemaView(parameters).keys(parameters).includes("limit"))
  );
}
