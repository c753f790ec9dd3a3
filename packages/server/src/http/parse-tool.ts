import type { JsonObject, ToolDefinition, ToolGroup } from "@capstan/core";
import { schemaDepthProblem, type TextGrammar } from "@capstan/core/host";
import type { ServerGroup } from "@capstan/store";
import { z } from "zod";
import { longestGrammar } from "../grammar/compile-grammar.ts";
import type { RequestGrammars } from "../grammar/request-grammars.ts";
import { badRequest, checked, missingParameter, RequestError } from "./errors.ts";
import { filterSchema, requireApproval, toolFilter } from "../runs/request/server-group.ts";

/** A parsed tool of type `mcp`. */
export interface ParsedServer {
  readonly label: string;
  /** Absent if the URL does not name one of this server's groups. */
  readonly server?: ServerGroup;
  /** Whether its tools are offered only after a search. @default false */
  readonly isDeferred?: true;
  readonly echo: JsonObject;
}

const serverSchema = z.object({
  server_label: z.string().min(1),
  server_url: z.string().nullish(),
  connector_id: z.string().nullish(),
  server_description: z.string().nullish(),
  defer_loading: z.boolean().nullish(),
  allowed_tools: z.union([z.array(z.string()), filterSchema]).nullish(),
  require_approval: z
    .union([
      z.enum(["always", "never"]),
      z.object({ always: filterSchema.nullish(), never: filterSchema.nullish() }),
    ])
    .nullish(),
});

/**
 * Parses a tool of type `mcp`: one of this server's groups, by `capstan://groups/NAME` or by the
 * URL at which this server offers it, or another server.
 */
export function parseServerGroup(
  tool: { readonly [key: string]: unknown },
  options: { readonly at: string; readonly origins: readonly string[] },
): ParsedServer {
  const { at, origins } = options;
  const body = checked(serverSchema, tool, at);
  if (body.server_url == null && body.connector_id == null)
    throw missingParameter(`${at}.server_url`);
  const label = body.server_label;
  // The authorization and the headers are never echoed, because they can contain secrets.
  const echo = {
    type: "mcp",
    allowed_tools: (body.allowed_tools ?? null) as JsonObject | null,
    headers: null,
    require_approval: (body.require_approval ?? null) as JsonObject | null,
    server_description: body.server_description ?? null,
    server_label: label,
    server_url: body.server_url ?? null,
    ...(body.defer_loading != null && { defer_loading: body.defer_loading }),
  };
  const group = groupOf(body.server_url ?? "", origins);
  if (group === undefined) return { label, echo };
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(group)) {
    const param = `${at}.server_url`;
    const message = `Invalid '${param}': '${group}' is not a tool group. Expected capstan://groups/NAME with a name that GET /v1/tools lists.`;
    throw badRequest(param, message);
  }
  const server: ServerGroup = {
    label,
    group,
    ...(body.allowed_tools == null ? {} : { allowedTools: toolFilter(body.allowed_tools) }),
    ...(body.require_approval == null
      ? {}
      : { requireApproval: requireApproval(body.require_approval) }),
  };
  return { label, server, echo, ...(body.defer_loading === true && { isDeferred: true }) };
}

function groupOf(url: string, origins: readonly string[]): string | undefined {
  const own = /^capstan:\/\/groups\/([^?#]*?)\/?$/.exec(url);
  if (own !== null) return decoded(own[1] ?? "");
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = /\/mcp\/groups\/([^/]+)\/?$/.exec(pathname);
  const isOwn = origins.some((own) => withoutLoopbackName(own) === withoutLoopbackName(origin));
  return path !== null && isOwn ? decoded(path[1] ?? "") : undefined;
}

/** Names of the loopback interface are one host, so a client may use any of them. */
function withoutLoopbackName(origin: string): string {
  return origin.replace(/^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=:|$)/, "$1loopback");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns the first value that a list has twice, or `undefined`. Takes linear time. */
export function firstRepeated(values: Iterable<string>): string | undefined {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) return value;
    seen.add(value);
  }
  return undefined;
}

/** The name of a tool that a client declares. */
export const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,128}$/, "Expected 1 to 128 of the characters a-z, A-Z, 0-9, _ and -.");

/** @throws RequestError if a schema has more levels than validators can compile */
export function checkDepth(schema: object, param: string): void {
  const problem = schemaDepthProblem(schema);
  if (problem !== undefined) throw badRequest(param, `Invalid '${param}': ${problem}`);
}

/**
 * Returns the definition of a client's custom tool, whose input is plain text. The model is offered
 * a function with one argument.
 */
export function customDefinition({
  name,
  description: given,
  grammar,
}: {
  readonly name: string;
  readonly description?: string | null | undefined;
  /** A grammar that the input must match. */
  readonly grammar?: TextGrammar | undefined;
}): ToolDefinition {
  const description = given ?? "";
  const rule =
    grammar === undefined
      ? ""
      : `\n\nThe input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const input = { type: "string", description: "The whole input, as plain text." };
  return {
    type: "function",
    function: {
      name,
      description: description + rule,
      parameters: {
        type: "object",
        properties: { input },
        required: ["input"],
        additionalProperties: false,
      },
    },
    custom: { description, ...(grammar !== undefined && { grammar }) },
  };
}

const grammarSchema = z.object({
  syntax: z.enum(["regex", "lark"]),
  definition: z.string().min(1).max(longestGrammar),
});

/**
 * Returns a grammar with which inputs can be checked.
 *
 * @throws RequestError that names what the grammar contains and the server does not support
 */
export function checkedGrammar(
  given: object | undefined,
  { at, grammars }: { readonly at: string; readonly grammars: RequestGrammars },
): TextGrammar | undefined {
  if (given === undefined) return undefined;
  const grammar = checked(grammarSchema, given, at);
  const compiled = grammars.compile(grammar);
  if (compiled.status === "compiled") return grammar;
  const param = `${at}.definition`;
  throw badRequest(param, `Invalid '${param}': ${compiled.message}`);
}

/** @throws RequestError if a request offers a group that does not exist */
export function requireKnownGroups(
  groups: readonly ToolGroup[],
  servers: readonly ServerGroup[],
): void {
  const names = groups.map(({ name }) => name);
  const unknown = servers.find(({ group }) => !names.includes(group));
  if (unknown === undefined) return;
  const message = `There is no tool group '${unknown.group}' here. There are: ${names.join(", ")}.`;
  throw new RequestError({ param: "tools", code: "tool_group_not_found", message });
}
