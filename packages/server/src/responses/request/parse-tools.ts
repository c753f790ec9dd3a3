import type { JsonObject, ToolDefinition } from "@capstan/core";
import { z } from "zod";
import type { ToolChoice } from "@capstan/core/host";
import {
  type ApiError,
  failed,
  invalidRequest,
  isObject,
  issueError,
  missingParameter,
  ok,
  type Parsed,
  unsupportedValue,
  withoutNulls,
  wrongType,
} from "../../http/api-error.ts";
import type { ChosenTool, RequestToolChoice, RequestTools } from "./create-request.ts";
import type { RequireApproval, ServerGroup, ToolFilter } from "@capstan/store";

interface ParsedTools extends RequestTools {
  /** As the response repeats them, secrets left out. */
  readonly echo: readonly JsonObject[];
}

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
      const parsed =
        tool["type"] === "function" ? parseFunctionTool(tool, at) : parseCustomTool(tool, at);
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

interface ParsedServer {
  readonly label: string;
  /** Absent where the URL is not one of this server's groups. */
  readonly server?: ServerGroup;
  readonly echo: JsonObject;
}

const filterSchema = z.object({
  tool_names: z.array(z.string()).nullish(),
  read_only: z.boolean().nullish(),
});

const serverSchema = z.object({
  server_label: z.string().min(1),
  server_url: z.string().nullish(),
  connector_id: z.string().nullish(),
  server_description: z.string().nullish(),
  allowed_tools: z.union([z.array(z.string()), filterSchema]).nullish(),
  require_approval: z
    .union([
      z.enum(["always", "never"]),
      z.object({ always: filterSchema.nullish(), never: filterSchema.nullish() }),
    ])
    .nullish(),
});

/**
 * A tool of type `mcp`: one of this server's groups, by `capstan://groups/NAME` or by the URL at
 * which this server offers it, or a server elsewhere.
 */
function parseServer(
  tool: { readonly [key: string]: unknown },
  options: { readonly at: string; readonly origins: readonly string[] },
): Parsed<ParsedServer> {
  const { at, origins } = options;
  const result = serverSchema.safeParse(tool);
  if (!result.success) return failed(issueError(result.error.issues, tool, at));
  const body = result.data;
  if (body.server_url == null && body.connector_id == null) {
    return failed(missingParameter(`${at}.server_url`));
  }
  const label = body.server_label;
  // Never the authorization, nor headers, which may hold one.
  const echo = {
    type: "mcp",
    allowed_tools: (body.allowed_tools ?? null) as JsonObject | null,
    headers: null,
    require_approval: (body.require_approval ?? null) as JsonObject | null,
    server_description: body.server_description ?? null,
    server_label: label,
    server_url: body.server_url ?? null,
  };
  const group = groupOf(body.server_url ?? "", origins);
  if (group === undefined) return ok({ label, echo });
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(group)) {
    return failed(
      invalidRequest({
        param: `${at}.server_url`,
        code: "invalid_value",
        message: `Invalid '${at}.server_url': '${group}' is no tool group. Expected capstan://groups/NAME with a name that GET /v1/tools lists.`,
      }),
    );
  }
  const server: ServerGroup = {
    label,
    group,
    ...(body.allowed_tools == null ? {} : { allowedTools: toolFilter(body.allowed_tools) }),
    ...(body.require_approval == null
      ? {}
      : { requireApproval: requireApproval(body.require_approval) }),
  };
  return ok({ label, server, echo });
}

function groupOf(url: string, origins: readonly string[]): string | undefined {
  const own = /^capstan:\/\/groups\/([^?#]*?)\/?$/.exec(url);
  if (own !== null) return decoded(own[1] ?? "");
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = /\/mcp\/groups\/([^/]+)\/?$/.exec(pathname);
  return path !== null && origins.includes(origin) ? decoded(path[1] ?? "") : undefined;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

type WireFilter = z.infer<typeof filterSchema>;

function toolFilter(filter: readonly string[] | WireFilter): ToolFilter {
  if (Array.isArray(filter)) return { toolNames: filter as readonly string[] };
  const { tool_names: toolNames, read_only: readOnly } = filter as WireFilter;
  return withoutNulls({ toolNames, readOnly });
}

function requireApproval(
  given: NonNullable<z.infer<typeof serverSchema>["require_approval"]>,
): RequireApproval {
  if (typeof given === "string") return given;
  const { always, never } = given;
  return {
    ...(always == null ? {} : { always: toolFilter(always) }),
    ...(never == null ? {} : { never: toolFilter(never) }),
  };
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

/** A tool that the client runs. */
interface ClientTool {
  readonly definition: ToolDefinition;
  readonly echo: JsonObject;
}

/** A function, its definition in OpenAI's form. */
function parseFunctionTool(
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
function parseCustomTool(
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

const modes = ["none", "auto", "required"] as const;
type Mode = (typeof modes)[number];

interface ParsedToolChoice {
  readonly choice: RequestToolChoice;
  readonly echo: string | JsonObject;
}

/** Which tools the model may or must call; only such as the same request declares. */
export function parseToolChoice(given: unknown, tools: RequestTools): Parsed<ParsedToolChoice> {
  if (given === undefined || given === null) return ok({ choice: { type: "auto" }, echo: "auto" });
  if (typeof given === "string") {
    const mode = modeOf(given);
    if (mode === undefined) return failed(unsupportedValue("tool_choice", given, modes));
    return ok({ choice: { type: mode }, echo: mode });
  }
  if (!isObject(given)) return failed(wrongType("tool_choice", "a string or an object", given));
  if (given["type"] === "allowed_tools") return parseAllowed(given, tools);
  const chosen = parseChosen(given, tools, "tool_choice");
  if (chosen.status === "error") return chosen;
  const echo = given as JsonObject;
  return ok({ choice: chosen.value ?? { type: "auto" }, echo });
}

/** What a model can be told of a choice; the rest is a matter of which tools it is offered. */
export function modelToolChoice(choice: RequestToolChoice): ToolChoice | undefined {
  if (choice.type === "function") return choice;
  if (choice.type === "server") return undefined;
  return choice.type === "allowed" ? choice.mode : choice.type;
}

function parseAllowed(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
): Parsed<ParsedToolChoice> {
  const mode = given["mode"] == null ? "auto" : modeOf(given["mode"]);
  if (mode === undefined) return failed(unsupportedValue("tool_choice.mode", given["mode"], modes));
  const list = given["tools"];
  if (list == null) return failed(missingParameter("tool_choice.tools"));
  if (!Array.isArray(list)) return failed(wrongType("tool_choice.tools", "an array", list));
  const allowed: ChosenTool[] = [];
  for (const [index, tool] of list.entries()) {
    const at = `tool_choice.tools[${index}]`;
    if (!isObject(tool)) return failed(wrongType(at, "an object", tool));
    const chosen = parseChosen(tool, tools, at);
    if (chosen.status === "error") return chosen;
    if (chosen.value !== undefined) allowed.push(chosen.value);
  }
  const echo = { ...given, mode } as JsonObject;
  return ok({ choice: { type: "allowed", mode, tools: allowed }, echo });
}

/** Undefined: a declared tool of a type that is carried, which no model is offered. */
function parseChosen(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
  at: string,
): Parsed<ChosenTool | undefined> {
  const { type } = given;
  if (typeof type !== "string") return failed(missingParameter(`${at}.type`));
  if (type === "function" || type === "custom") {
    const nested = isObject(given["function"]) ? given["function"]["name"] : undefined;
    const name = given["name"] ?? nested;
    if (typeof name !== "string") return failed(missingParameter(`${at}.name`));
    const isDeclared = tools.client.some((tool) => tool.function.name === name);
    return isDeclared ? ok({ type: "function", name }) : undeclared(name);
  }
  if (type === "mcp") {
    const { server_label: label, name } = given;
    if (typeof label !== "string") return failed(missingParameter(`${at}.server_label`));
    if (tools.servers.some((server) => server.label === label)) {
      return ok({ type: "server", label, ...(typeof name === "string" ? { name } : {}) });
    }
    return tools.carried.some((tool) => tool["server_label"] === label)
      ? ok(undefined)
      : undeclared(label);
  }
  return tools.carried.some((tool) => tool["type"] === type) ? ok(undefined) : undeclared(type);
}

function undeclared(what: string): Parsed<never> {
  return failed(
    invalidRequest({
      param: "tool_choice",
      code: "invalid_value",
      message: `Tool choice '${what}' not found in 'tools' parameter.`,
    }),
  );
}

function modeOf(value: unknown): Mode | undefined {
  return modes.find((mode) => mode === value);
}

/** The tools that may be called: a choice of some, or of one server's, is a hard limit. */
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
