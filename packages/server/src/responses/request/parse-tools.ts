import type {
  JsonObject,
  RequestTool,
  RequestTools as DeclaredTools,
  ToolDefinition,
} from "@capstan/core";
import type { RequestServer } from "@capstan/contract";
import type { ServerGroup, StoredRequest } from "@capstan/store";
import { createRequestGrammars } from "../../grammar/request-grammars.ts";
import {
  badRequest,
  isObject,
  missingParameter,
  RequestError,
  wrongType,
} from "../../http/errors.ts";
import { type ParsedServer, parseServerGroup } from "../../http/parse-tool.ts";
import {
  type HostedTool,
  hostedTool,
  requireOnce,
  unboundType,
} from "../../http/tools/hosted-tools.ts";
import type { HostedTools } from "../../http/services.ts";
import type { ToolForms } from "../client-tools/tool-form.ts";
import { type ClientTool, parseClientTool } from "./parse-client-tool.ts";
import type { InputItem } from "./parse-input.ts";
import { parseRequestServer } from "./parse-request-server.ts";

/** The maximum number of MCP servers that a request names. */
const mostServers = 10;

/** The maximum number of tools of a request, because a search reads the texts of all of them. */
const mostTools = 5_000;

/** The tools of a request. */
export interface RequestTools {
  /** Tools that the client runs, as functions. */
  readonly client: readonly ToolDefinition[];
  /** How the API shows these tools. */
  readonly forms: ToolForms;
  readonly servers: readonly ServerGroup[];
  /** The MCP servers to connect to for this request. */
  readonly remote: readonly RequestServer[];
  /** Tools of hosted types to which the configuration binds a tool. */
  readonly hosted: readonly HostedTool[];
  /** The entries of `servers` as the request declares them, by group. */
  readonly declared: DeclaredTools;
  /** The deferred tools that the server searches. Absent: the request asks for no such search. */
  readonly toolSearch?: NonNullable<StoredRequest["toolSearch"]>;
  /** Tools of other types, which are echoed and otherwise ignored. */
  readonly carried: readonly JsonObject[];
}

/** The items that can add tools, and the tools that a request can name. */
export interface ToolSources {
  readonly input: readonly InputItem[];
  readonly origins?: readonly string[];
  readonly hostedTools?: HostedTools;
}

/** A request's tools, and the tools as the response repeats them, without secrets. */
export interface ParsedTools extends RequestTools {
  readonly echo: readonly JsonObject[];
}

/**
 * Splits a request's tools into those that the client runs and those that the server runs. Unknown
 * types are stored and not rejected, because clients send tools that their own vendor runs. Items
 * of the input can add tools, of which the last of the same name counts.
 *
 * @param options.origins the server's own addresses, at which a URL can name a group:
 * `http://127.0.0.1:8787`
 * @throws RequestError
 */
export function parseTools(
  tools: readonly unknown[],
  { input, origins = [], hostedTools = {} }: ToolSources,
): ParsedTools {
  const grammars = createRequestGrammars();
  const client = new Map<string, ClientTool>();
  const servers = new Map<string, ServerGroup>();
  const groups = new Set<string>();
  const remote: RequestServer[] = [];
  const hosted: HostedTool[] = [];
  const declared: { [group: string]: RequestTool } = {};
  const carried: JsonObject[] = [];
  const echo: JsonObject[] = [];
  const deferredTools = new Set<string>();
  const deferredGroups: string[] = [];
  let serverSearch: string | undefined;
  const searches = tools.some((tool) => isObject(tool) && isClientSearch(tool));
  for (const [index, given] of tools.entries()) {
    const at = `tools[${index}]`;
    const tool = typedTool(given, at);
    if (tool["type"] === "mcp") {
      const parsed = parseServerGroup(tool, { at, origins });
      const { label } = parsed;
      if (servers.has(label)) throw duplicate(`${at}.server_label`, `a server labelled '${label}'`);
      const { server, remote: outside } = serverOf(tool, parsed, at);
      if (groups.has(server.group))
        throw duplicate(`${at}.server_url`, `the group '${server.group}'`);
      servers.set(label, server);
      groups.add(server.group);
      if (outside !== undefined) remote.push(outside);
      if (remote.length > mostServers) throw tooManyServers(at);
      if (parsed.isDeferred === true) deferredGroups.push(server.group);
      declared[server.group] = parsed.echo as RequestTool;
      echo.push(parsed.echo);
      continue;
    }
    const parsed = parseClientTool(tool, { at, grammars });
    if (parsed === undefined) {
      const { type } = tool;
      const bound =
        typeof type === "string" ? hostedTool(tool as RequestTool, hostedTools) : undefined;
      // Clients declare the other types by default, so these are ignored. `code_interpreter` is an
      // error, because answers without its results would be wrong.
      if (bound === undefined && type === "code_interpreter") throw unboundType(type, at);
      if (bound === undefined) carried.push(tool);
      else hosted.push(bound);
      echo.push(tool);
      continue;
    }
    echo.push(parsed.echo);
    if (parsed.isServerSearch === true) {
      if (serverSearch !== undefined || searches) throw duplicate(`${at}.type`, "a 'tool_search'");
      serverSearch = at;
    }
    for (const each of parsed.tools) {
      const { name } = each.definition.function;
      if (client.has(name)) throw duplicate(`${at}.name`, `a tool named '${name}'`);
      // The client's search finds it, and an item of a later input then adds it.
      if (!(searches && each.isDeferred)) client.set(name, each);
      if (each.isDeferred) deferredTools.add(name);
    }
    if (client.size > mostTools) throw tooManyTools("tools");
  }
  for (const { at, given } of addedTools(input)) {
    const tool = typedTool(given, at);
    if (tool["type"] === "mcp") {
      const added = parseServerGroup(tool, { at, origins });
      const { server, remote: outside } = serverOf(tool, added, at);
      if (groups.has(server.group)) continue;
      servers.set(server.label, server);
      groups.add(server.group);
      if (outside !== undefined) remote.push(outside);
      if (remote.length > mostServers) throw tooManyServers(at);
      declared[server.group] = added.echo as RequestTool;
      continue;
    }
    for (const each of parseClientTool(tool, { at, grammars })?.tools ?? []) {
      const form = { ...each.form, loaded: true as const };
      client.set(each.definition.function.name, { ...each, form });
      // An earlier search found it.
      deferredTools.delete(each.definition.function.name);
    }
    if (client.size > mostTools) throw tooManyTools(at);
  }
  requireOnce(hosted);
  return {
    client: [...client.values()].map(({ definition }) => definition),
    forms: Object.fromEntries(
      [...client].flatMap(([name, { form }]) => (isPlain(form, name) ? [] : [[name, form]])),
    ),
    servers: [...servers.values()],
    remote,
    hosted,
    declared,
    ...(serverSearch !== undefined && {
      toolSearch: { tools: [...deferredTools], groups: deferredGroups },
    }),
    carried,
    echo,
  };
}

function isPlain(form: ClientTool["form"], name: string): boolean {
  return form.type === "function" && form.name === name && Object.keys(form).length === 2;
}

/** Returns whether the client searches for tools, which are not offered before it found them. */
function isClientSearch(tool: { readonly [key: string]: unknown }): boolean {
  return tool["type"] === "tool_search" && tool["execution"] === "client";
}

function typedTool(tool: unknown, at: string): JsonObject {
  if (!isObject(tool)) throw wrongType(at, "an object", tool);
  if (tool["type"] === undefined) throw missingParameter(`${at}.type`);
  return tool as JsonObject;
}

interface AddedTool {
  readonly at: string;
  readonly given: unknown;
}

/** Returns the tools that items of the input add. */
function addedTools(input: readonly InputItem[]): readonly AddedTool[] {
  return input.flatMap((item, index) =>
    item.type === "additional_tools" || item.type === "tool_search_output"
      ? item.tools.map((given, n) => ({ at: `input[${index}].tools[${n}]`, given }))
      : [],
  );
}

function tooManyTools(at: string): RequestError {
  const message = `Invalid '${at}': a request can declare at most ${mostTools} tools. Declare those that this task needs, or offer the others as a tool group of this server.`;
  return badRequest(at, message);
}

function tooManyServers(at: string): RequestError {
  const message = `Invalid '${at}': a request can name at most ${mostServers} MCP servers outside this server.`;
  return badRequest(at, message);
}

/** Returns the group of this server that a tool names, or the other server to connect to. */
function serverOf(
  tool: JsonObject,
  { label, server }: ParsedServer,
  at: string,
): { readonly server: ServerGroup; readonly remote?: RequestServer } {
  if (server !== undefined) return { server };
  const outside = parseRequestServer(tool, { label, at });
  if (outside !== undefined) return outside;
  const message = `Unsupported server: '${label.slice(0, 100)}' is not a tool group of this server, and its 'server_url' is not an address of an MCP server. Use 'server_url' capstan://groups/NAME with a name that GET /v1/tools lists, or an https: address.`;
  throw new RequestError({ param: `${at}.server_url`, code: "unsupported_parameter", message });
}

function duplicate(param: string, what: string): RequestError {
  return new RequestError({
    param,
    code: "duplicate_value",
    message: `Invalid '${param}': the request declares ${what} twice. Declare it once.`,
  });
}
