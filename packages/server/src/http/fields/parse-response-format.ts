import type { ResponseFormat } from "@capstan/core/host";
import { z } from "zod";
import { checked, isObject, missingParameter, unsupportedValue, wrongType } from "../errors.ts";
import { checkDepth } from "../parse-tool.ts";
import { withoutNulls } from "../read-body.ts";

const jsonSchema = z.object({
  name: z.string().min(1),
  schema: z.record(z.string(), z.unknown()),
  description: z.string().nullish(),
  strict: z.boolean().nullish(),
});

/**
 * Parses `response_format` of Chat Completions and of assistants.
 *
 * @returns undefined for plain text
 * @throws RequestError
 */
export function parseResponseFormat(given: unknown): ResponseFormat | undefined {
  const at = "response_format";
  if (given == null) return undefined;
  if (!isObject(given)) throw wrongType(at, "an object", given);
  const { type } = given;
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { type };
    case "json_schema": {
      const {
        name,
        schema: shape,
        description,
        strict,
      } = checked(jsonSchema, given["json_schema"], `${at}.json_schema`);
      checkDepth(shape, `${at}.json_schema.schema`);
      return { type, name, schema: shape, ...withoutNulls({ description, strict }) };
    }
    case undefined:
      throw missingParameter(`${at}.type`);
    default:
      throw unsupportedValue(`${at}.type`, type, ["text", "json_object", "json_schema"]);
  }
}
