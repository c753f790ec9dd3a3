import type { JsonObject, ToolDefinition } from "@capstan/core";
import { z } from "zod";
import type { ChatOption } from "@capstan/core/host";
import {
  badRequest,
  checked,
  isObject,
  missingParameter,
  RequestError,
  unsupportedValue,
  wrongType,
} from "../../http/errors.ts";
import { checkDepth, customDefinition, parseServerGroup, toolName } from "../../http/parse-tool.ts";
import { withoutNulls } from "../../http/read-body.ts";
import type { ServerGroup } from "@capstan/store";

export interface RequestTools {
  /**
   * Tools that the client runs: its functions, and its custom tools as functions with one parameter
   * `input`.
   */
  readonly client: readonly ToolDefinition[];
  /** Names of the client tools that are custom tools. */
  readonly customTools: readonly string[];
  readonly servers: readonly ServerGroup[];
  /** Tools of other types, which are echoed and otherwise ignored. */
  readonly carried: readonly JsonObject[];
}

export type ChosenTool =
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "server"; readonly label: string; readonly name?: string };

export type RequestToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | ChosenTool
  /** Only the listed tools can be called. */
  | {
      readonly type: "allowed";
      readonly mode: "auto" | "none" | "required";
      readonly tools: readonly ChosenTool[];
    };

export interface ParsedTools extends RequestTools {
  /** The tools as the response repeats them, without secrets. */
  readonly echo: readonly JsonObject[];
}

/**
 * Splits a request's tools into those that the client runs and those that the server runs. Unknown
 * types are stored and not rejected, because clients send tools that their own vendor runs.
 *
 * @param origins the server's own addresses, e.g. `http://127.0.0.1:8787`: its groups may be named
 * by URL
 */
export function parseTools(tools: readonly unknown[], origins: readonly string[]): ParsedTools {
  const client: ToolDefinition[] = [];
  const customTools: string[] = [];
  const servers: ServerGroup[] = [];
  const carried: JsonObject[] = [];
  const echo: JsonObject[] = [];
  const names = new Set<string>();
  const labels = new Set<string>();

  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw wrongType(at, "an object", tool);
    const { type } = tool;
    if (type === undefined) throw missingParameter(`${at}.type`);
    if (type === "function" || type === "custom") {
      const parsed = type === "function" ? parseFunctionTool(tool, at) : parseCustomTool(tool, at);
      const { definition } = parsed;
      const { name } = definition.function;
      if (names.has(name)) throw duplicate(`${at}.name`, `a tool named '${name}'`);
      names.add(name);
      client.push(definition);
      if (type === "custom") customTools.push(name);
      echo.push(parsed.echo);
    } else if (type === "mcp") {
      const parsed = parseServerGroup(tool, { at, origins });
      const { label, server } = parsed;
      if (labels.has(label)) throw duplicate(`${at}.server_label`, `a server labelled '${label}'`);
      labels.add(label);
      if (servers.some(({ group }) => group === server?.group))
        throw duplicate(`${at}.server_url`, `the group '${server?.group}'`);
      if (server === undefined) throw foreignServer(at, label);
      servers.push(server);
      echo.push(parsed.echo);
    } else {
      carried.push(tool as JsonObject);
      echo.push(tool as JsonObject);
    }
  }
  return { client, customTools, servers, carried, echo };
}

function foreignServer(at: string, label: string): RequestError {
  const message = `Unsupported server: '${label.slice(0, 100)}' is not a tool group of this server, and the server connects to no other MCP server or connector for a request. Use 'server_url' capstan://groups/NAME with a name that GET /v1/tools lists.`;
  return new RequestError({ param: `${at}.server_url`, code: "unsupported_parameter", message });
}

function duplicate(param: string, what: string): RequestError {
  return new RequestError({
    param,
    code: "duplicate_value",
    message: `Invalid '${param}': the request declares ${what} twice. Declare it once.`,
  });
}

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

/** A parsed tool that the client runs. */
interface ClientTool {
  readonly definition: ToolDefinition;
  readonly echo: JsonObject;
}

/** A function, its definition in OpenAI's form. */
function parseFunctionTool(tool: { readonly [key: string]: unknown }, at: string): ClientTool {
  // Some clients send the form of the Chat API, with the function in a nested object.
  const nested =
    isObject(tool["function"]) && tool["name"] === undefined ? tool["function"] : undefined;
  const source = nested ?? tool;
  const where = nested === undefined ? at : `${at}.function`;
  const { name, description, parameters, strict } = checked(functionSchema, source, where);
  checkDepth(parameters ?? {}, `${where}.parameters`);
  const definition: ToolDefinition = {
    type: "function",
    function: { name, ...withoutNulls({ description, parameters, strict }) },
  };
  const echo = {
    type: "function",
    name,
    description: description ?? null,
    parameters: (parameters ?? null) as JsonObject | null,
    strict: strict ?? null,
  };
  return { definition, echo };
}

/**
 * Parses a custom tool, whose input is plain text. The model is offered a function with one
 * argument.
 */
function parseCustomTool(tool: { readonly [key: string]: unknown }, at: string): ClientTool {
  const { name, description, format } = checked(customSchema, tool, at);
  const definition = customDefinition({ name, description, format });
  return { definition, echo: tool as JsonObject };
}

const modes = ["none", "auto", "required"] as const;
type Mode = (typeof modes)[number];

interface ParsedToolChoice {
  readonly choice: RequestToolChoice;
  readonly echo: string | JsonObject;
}

/** Parses the tools that the model can or must call. The same request must declare them. */
export function parseToolChoice(given: unknown, tools: RequestTools): ParsedToolChoice {
  if (given === undefined || given === null) return { choice: { type: "auto" }, echo: "auto" };
  if (typeof given === "string") {
    const mode = modeOf(given, "tool_choice");
    return { choice: { type: mode }, echo: mode };
  }
  if (!isObject(given)) throw wrongType("tool_choice", "a string or an object", given);
  if (given["type"] === "allowed_tools") return parseAllowed(given, tools);
  const choice = parseChosen(given, tools, "tool_choice") ?? { type: "auto" };
  return { choice, echo: given as JsonObject };
}

/**
 * Returns the tool choice for the loop. The request's choice can also limit which tools the model
 * is offered, see `allowedTools`. If the choice names a server without a tool, the model must call
 * one of that server's tools.
 */
export function modelToolChoice(
  choice: RequestToolChoice,
  servers: readonly ServerGroup[],
): ChatOption["toolChoice"] {
  if (choice.type === "function") return choice;
  if (choice.type === "server") {
    const group = servers.find(({ label }) => label === choice.label)?.group;
    if (choice.name === undefined || group === undefined) return "required";
    return { type: "tool", toolId: `${group}.${choice.name}` };
  }
  return choice.type === "allowed" ? choice.mode : choice.type;
}

function parseAllowed(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
): ParsedToolChoice {
  const mode = modeOf(given["mode"] ?? "auto", "tool_choice.mode");
  const list = given["tools"];
  if (list == null) throw missingParameter("tool_choice.tools");
  if (!Array.isArray(list)) throw wrongType("tool_choice.tools", "an array", list);
  const allowed = list.flatMap((tool: unknown, index): readonly ChosenTool[] => {
    const at = `tool_choice.tools[${index}]`;
    if (!isObject(tool)) throw wrongType(at, "an object", tool);
    return [parseChosen(tool, tools, at)].filter((chosen) => chosen !== undefined);
  });
  const echo = { ...given, mode } as JsonObject;
  return { choice: { type: "allowed", mode, tools: allowed }, echo };
}

/**
 * Returns undefined for a declared tool of an unknown type, because no model is offered such a
 * tool.
 */
function parseChosen(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
  at: string,
): ChosenTool | undefined {
  const { type } = given;
  if (typeof type !== "string") throw missingParameter(`${at}.type`);
  if (type === "function" || type === "custom") {
    const nested = isObject(given["function"]) ? given["function"]["name"] : undefined;
    const name = given["name"] ?? nested;
    if (typeof name !== "string") throw missingParameter(`${at}.name`);
    if (tools.client.some((tool) => tool.function.name === name)) return { type: "function", name };
    throw undeclared(name);
  }
  if (type === "mcp") {
    const { server_label: label, name } = given;
    if (typeof label !== "string") throw missingParameter(`${at}.server_label`);
    if (tools.servers.some((server) => server.label === label))
      return { type: "server", label, ...(typeof name === "string" ? { name } : {}) };
    if (tools.carried.some((tool) => tool["server_label"] === label)) return undefined;
    throw undeclared(label);
  }
  if (tools.carried.some((tool) => tool["type"] === type)) return undefined;
  throw undeclared(type);
}

function undeclared(what: string): RequestError {
  return badRequest("tool_choice", `Tool choice '${what}' not found in 'tools' parameter.`);
}

function modeOf(value: unknown, at: string): Mode {
  const known = modes.find((mode) => mode === value);
  if (known !== undefined) return known;
  throw unsupportedValue(at, value, modes);
}

/** Returns whether a tool choice lists tools or names a server, and so excludes all others. */
export function excludesOthers({ type }: RequestToolChoice): boolean {
  return type === "allowed" || type === "server";
}

/** Returns the tools that can be called. */
export function allowedTools(
  tools: RequestTools,
  choice: RequestToolChoice,
): Pick<RequestTools, "client" | "servers"> {
  if (choice.type !== "allowed" && choice.type !== "server") return tools;
  const chosen = choice.type === "allowed" ? choice.tools : [choice];
  const client = tools.client.filter(({ function: { name } }) =>
    chosen.some((tool) => tool.type === "function" && tool.name === name),
  );
  const servers = tools.servers.flatMap((server): ServerGroup[] => {
    const meant = chosen.filter((tool) => tool.type === "server" && tool.label === server.label);
    if (meant.length === 0) return [];
    const names = meant.flatMap((tool) => (tool.name === undefined ? [] : [tool.name]));
    if (names.length < meant.length) return [server];
    const before = server.allowedTools?.toolNames;
    const toolNames = before === undefined ? names : names.filter((name) => before.includes(name));
    return [{ ...server, allowedTools: { ...server.allowedTools, toolNames } }];
  });
  return { client, servers };
}
