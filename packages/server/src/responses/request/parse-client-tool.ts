import type { JsonObject, ToolDefinition } from "@capstan/core";
import { z } from "zod";
import { failed, ok, type Parsed } from "../../http/api-error.ts";
import { issueError } from "./issue-error.ts";
import { isObject } from "./without-nulls.ts";

const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "Expected 1 to 128 of the characters a-z, A-Z, 0-9, _ and -.");

const functionSchema = z.object({
  name: toolName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const customSchema = z.object({
  name: toolName,
  description: z.string().nullish(),
  format: z
    .object({ type: z.string(), syntax: z.string().nullish(), definition: z.string().nullish() })
    .nullish(),
});

/** A tool that the client runs. */
export interface ClientTool {
  readonly definition: ToolDefinition;
  readonly echo: JsonObject;
}

/** A function, its definition in OpenAI's form. */
export function parseFunctionTool(
  tool: { readonly [key: string]: unknown },
  at: string,
): Parsed<ClientTool> {
  // Chat's form, with the function in an object of its own, comes from some clients.
  const nested =
    isObject(tool["function"]) && tool["name"] === undefined ? tool["function"] : undefined;
  const source = nested ?? tool;
  const result = functionSchema.safeParse(source);
  if (!result.success) {
    return failed(
      issueError(result.error.issues, source, nested === undefined ? at : `${at}.function`),
    );
  }
  const { name, description, parameters, strict } = result.data;
  const definition: ToolDefinition = {
    type: "function",
    function: {
      name,
      ...(description == null ? {} : { description }),
      ...(parameters == null ? {} : { parameters }),
      ...(strict == null ? {} : { strict }),
    },
  };
  const echo = {
    type: "function",
    name,
    description: description ?? null,
    parameters: (parameters ?? null) as JsonObject | null,
    strict: strict ?? null,
  };
  return ok({ definition, echo });
}

/** A custom tool takes plain text: the model is offered a function with one argument. */
export function parseCustomTool(
  tool: { readonly [key: string]: unknown },
  at: string,
): Parsed<ClientTool> {
  const result = customSchema.safeParse(tool);
  if (!result.success) return failed(issueError(result.error.issues, tool, at));
  const { name, description, format } = result.data;
  const grammar =
    format?.definition == null
      ? ""
      : `\n\nThe input must follow this ${format.syntax ?? ""} grammar:\n${format.definition}`;
  const input = { type: "string", description: "The whole input, as plain text." };
  const definition: ToolDefinition = {
    type: "function",
    function: {
      name,
      description: (description ?? "") + grammar,
      parameters: {
        type: "object",
        properties: { input },
        required: ["input"],
        additionalProperties: false,
      },
    },
  };
  return ok({ definition, echo: tool as JsonObject });
}
