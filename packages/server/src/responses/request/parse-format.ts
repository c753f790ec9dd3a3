import type { JsonObject } from "@capstan/core";
import type { ResponseFormat } from "@capstan/core/host";
import { z } from "zod";
import { failed, missingParameter, ok, type Parsed } from "../../http/api-error.ts";
import { issueError, unsupportedValue, wrongType } from "./issue-error.ts";
import { isObject } from "./without-nulls.ts";

export interface ParsedFormat {
  readonly format: ResponseFormat;
  readonly echo: JsonObject;
}

const schemaFormat = z.object({
  name: z.string().min(1),
  schema: z.record(z.string(), z.unknown()),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
});

/** `text.format`: what the answer's text must be. */
export function parseFormat(given: unknown): Parsed<ParsedFormat> {
  const at = "text.format";
  if (given === undefined || given === null)
    return ok({ format: { type: "text" }, echo: { type: "text" } });
  if (!isObject(given)) return failed(wrongType(at, "an object", given));
  const { type } = given;
  if (type === undefined) return failed(missingParameter(`${at}.type`));
  if (type === "text" || type === "json_object") return ok({ format: { type }, echo: { type } });
  if (type !== "json_schema") {
    return failed(unsupportedValue(`${at}.type`, type, ["text", "json_object", "json_schema"]));
  }
  const result = schemaFormat.safeParse(given);
  if (!result.success) return failed(issueError(result.error.issues, given, at));
  const { name, schema, description, strict } = result.data;
  const format: ResponseFormat = {
    type,
    name,
    schema,
    ...(description == null ? {} : { description }),
    ...(strict == null ? {} : { strict }),
  };
  const echo = {
    type,
    name,
    description: description ?? null,
    schema: schema as JsonObject,
    strict: strict ?? false,
  };
  return ok({ format, echo });
}
