import type { JsonObject, ToolDefinition } from "@capstan/core";
import { z } from "zod";
import {
  type ApiError,
  failed,
  invalidRequest,
  missingParameter,
  ok,
  type Parsed,
} from "../api-error.ts";
import type { RequestTools, ServerGroup } from "./create-request.ts";
import { issueError, wrongType } from "./issue-error.ts";
import { parseServer } from "./parse-server.ts";
import { isObject } from "./without-nulls.ts";

export interface ParsedTools extends RequestTools {
  /** As the response repeats them, secrets left out. */
  readonly echo: readonly JsonObject[];
}

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

/**
 * A request's tools, by who runs them. Tools of types that are not known are carried, not
 * refused: clients send what their own vendor runs.
 *
 * @param origins where this server is reached, e.g. `http://127.0.0.1:8787`: its own groups may be named by URL
 */
export function parseTools(
  tools: readonly unknown[],
  origins: readonly string[],
): Parsed<ParsedTools> {
  const client: ToolDefinition[] = [];
  const customTools: string[] = [];
  const servers: ServerGroup[] = [];
  const carried: JsonObject[] = [];
  const echo: JsonObject[] = [];
  const names = new Set<string>();
  const labels = new Set<string>();

  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`;
    if (!isObject(tool)) return failed(wrongType(at, "an object", tool));
    if (tool["type"] === undefined) return failed(missingParameter(`${at}.type`));
    if (tool["type"] === "function" || tool["type"] === "custom") {
      const parsed = tool["type"] === "function" ? parseFunction(tool, at) : parseCustom(tool, at);
      if (parsed.status === "error") return parsed;
      const { definition } = parsed.value;
      const { name } = definition.function;
      if (names.has(name)) return failed(duplicate(`${at}.name`, `a tool named '${name}'`));
      names.add(name);
      client.push(definition);
      if (tool["type"] === "custom") customTools.push(name);
      echo.push(parsed.value.echo);
    } else if (tool["type"] === "mcp") {
      const parsed = parseServer(tool, { at, origins });
      if (parsed.status === "error") return parsed;
      const { label, server } = parsed.value;
      if (labels.has(label))
        return failed(duplicate(`${at}.server_label`, `a server labelled '${label}'`));
      labels.add(label);
      if (server === undefined) {
        carried.push(parsed.value.echo);
      } else {
        if (servers.some((other) => other.group === server.group)) {
          return failed(duplicate(`${at}.server_url`, `the group '${server.group}'`));
        }
        servers.push(server);
      }
      echo.push(parsed.value.echo);
    } else {
      carried.push(tool as JsonObject);
      echo.push(tool as JsonObject);
    }
  }
  return ok({ client, customTools, servers, carried, echo });
}

function duplicate(param: string, what: string): ApiError {
  return invalidRequest({
    param,
    code: "duplicate_value",
    message: `Invalid '${param}': the request declares ${what} twice. Declare it once.`,
  });
}

interface ClientTool {
  readonly definition: ToolDefinition;
  readonly echo: JsonObject;
}

function parseFunction(tool: { readonly [key: string]: unknown }, at: string): Parsed<ClientTool> {
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
function parseCustom(tool: { readonly [key: string]: unknown }, at: string): Parsed<ClientTool> {
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
