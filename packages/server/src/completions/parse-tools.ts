import type { JsonObject, RequestTool, RequestTools, ToolDefinition } from "@capstan/core";
import { hostedFamily, type ToolChoice } from "@capstan/core/host";
import type { ServerGroup } from "@capstan/store";
import { z } from "zod";
import { createRequestGrammars } from "../grammar/request-grammars.ts";
import {
  badRequest,
  checked,
  isObject,
  missingParameter,
  unsupportedValue,
  wrongType,
} from "../http/errors.ts";
import {
  type HostedTool,
  hostedTool,
  requireOnce,
  unboundType,
} from "../http/tools/hosted-tools.ts";
import type { HostedTools } from "../http/services.ts";
import { withoutNulls } from "../http/read-body.ts";
import {
  checkDepth,
  checkedGrammar,
  customDefinition,
  firstRepeated,
  parseServerGroup,
  toolName,
} from "../http/parse-tool.ts";

/** The tools that a request can name. */
export interface ToolSources {
  readonly origins?: readonly string[];
  readonly hostedTools?: HostedTools;
}

/** The tools of a Chat Completions request. */
export interface CompletionTools {
  /** The tools that the client runs. */
  readonly client: readonly ToolDefinition[];
  /** Names of the client's tools that take plain text. */
  readonly customTools: readonly string[];
  /** Names of the custom tools whose input must match a grammar. */
  readonly checkedTools: readonly string[];
  /** The server's groups that the request offers. */
  readonly servers: readonly ServerGroup[];
  /** Tools of hosted types to which the configuration binds a tool. */
  readonly hosted: readonly HostedTool[];
  /** The entries of `servers` as the request declares them, by group. */
  readonly declared: RequestTools;
  readonly choice: ToolChoice | undefined;
  /** Whether the choice lists tools, and so excludes all others. */
  readonly excludesOthers: boolean;
}

const functionTool = z.object({
  name: toolName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const customTool = z.object({
  name: toolName,
  description: z.string().nullish(),
  format: z
    .object({ grammar: z.object({ syntax: z.string(), definition: z.string() }).nullish() })
    .nullish(),
});

/**
 * Parses `tools` and `tool_choice`, or their older forms `functions` and `function_call`.
 *
 * @param options.origins the server's own addresses, at which a URL can name a group
 * @throws RequestError for an invalid tool, a repeated name, or a choice that names no tool
 */
export function parseCompletionTools(
  body: { readonly [name: string]: unknown },
  { origins = [], hostedTools = {} }: ToolSources,
): CompletionTools {
  const client: ToolDefinition[] = [];
  const customTools: string[] = [];
  const grammars = createRequestGrammars();
  const servers: ServerGroup[] = [];
  const hosted: HostedTool[] = [];
  const declared: { [group: string]: RequestTool } = {};
  const isOld = body["tools"] == null && body["functions"] != null;
  for (const [index, tool] of listOf(body, isOld ? "functions" : "tools").entries()) {
    const at = `${isOld ? "functions" : "tools"}[${index}]`;
    if (!isObject(tool)) throw wrongType(at, "an object", tool);
    const type = isOld ? "function" : tool["type"];
    switch (type) {
      case "function":
        client.push(parseFunction(isOld ? tool : tool["function"], isOld ? at : `${at}.function`));
        break;
      case "custom": {
        const { name, description, format } = checked(customTool, tool["custom"], `${at}.custom`);
        client.push(
          customDefinition({
            name,
            description,
            grammar: checkedGrammar(format?.grammar ?? undefined, {
              at: `${at}.custom.format.grammar`,
              grammars,
            }),
          }),
        );
        customTools.push(name);
        break;
      }
      case "mcp": {
        const { server, label, echo } = parseServerGroup(tool, { at, origins });
        if (server === undefined)
          throw badRequest(
            `${at}.server_url`,
            `Invalid '${at}.server_url': the server '${label}' is not a tool group of this installation. Use capstan://groups/NAME with a name that GET /v1/tools lists.`,
          );
        servers.push(server);
        declared[server.group] = echo as RequestTool;
        break;
      }
      case undefined:
        throw missingParameter(`${at}.type`);
      default: {
        const bound =
          typeof type === "string" ? hostedTool(tool as RequestTool, hostedTools) : undefined;
        if (bound === undefined)
          throw typeof type === "string" && hostedFamily(type) !== undefined
            ? unboundType(type, at)
            : unsupportedValue(`${at}.type`, type, [
                "function",
                "custom",
                "mcp",
                ...Object.keys(hostedTools),
              ]);
        hosted.push(bound);
      }
    }
  }
  const search = body["web_search_options"];
  const isDeclared = hosted.some(({ type }) => type === "web_search");
  if (isObject(search) && !isDeclared) {
    const options = search as JsonObject;
    const bound = hostedTool({ ...options, type: "web_search" }, hostedTools);
    if (bound !== undefined) hosted.push(bound);
  }
  const names = client.map(({ function: { name } }) => name);
  rejectTwice(names, "a tool named");
  rejectTwice(
    servers.map(({ group }) => group),
    "the group",
  );
  requireOnce(hosted);
  const checkedTools = client.flatMap(({ custom, function: { name } }) =>
    custom?.grammar === undefined ? [] : [name],
  );
  return {
    customTools,
    checkedTools,
    declared,
    excludesOthers: false,
    ...parseChoice(body, { client, servers, hosted }),
  };
}

function listOf(body: { readonly [name: string]: unknown }, name: string): readonly unknown[] {
  const given = body[name];
  if (given == null) return [];
  if (!Array.isArray(given)) throw wrongType(name, "an array", given);
  return given;
}

function parseFunction(given: unknown, at: string): ToolDefinition {
  const { name, description, parameters, strict } = checked(functionTool, given, at);
  checkDepth(parameters ?? {}, `${at}.parameters`);
  return {
    type: "function",
    function: { name, ...withoutNulls({ description, parameters, strict }) },
  };
}

function rejectTwice(names: readonly string[], what: string): void {
  const name = firstRepeated(names);
  if (name !== undefined)
    throw badRequest(
      "tools",
      `Invalid 'tools': the request declares ${what} '${name}' twice. Declare it once.`,
    );
}

type Declared = Pick<CompletionTools, "client" | "servers" | "hosted">;

/** Returns the tool choice, and the tools that it allows. */
function parseChoice(
  body: { readonly [name: string]: unknown },
  tools: Declared,
): Declared & Pick<CompletionTools, "choice"> & Partial<Pick<CompletionTools, "excludesOthers">> {
  const old = body["function_call"];
  const given = body["tool_choice"] ?? (isObject(old) ? { type: "function", function: old } : old);
  if (given == null) return { ...tools, choice: undefined };
  if (typeof given === "string") return { ...tools, choice: modeOf(given, "tool_choice") };
  if (!isObject(given)) throw wrongType("tool_choice", "a string or an object", given);
  if (given["type"] === "allowed_tools") {
    const allowed = isObject(given["allowed_tools"]) ? given["allowed_tools"] : given;
    const list = allowed["tools"];
    if (!Array.isArray(list)) throw wrongType("tool_choice.allowed_tools.tools", "an array", list);
    const known = namesOf(tools);
    const names = new Set(
      list.map((tool: unknown, index) =>
        chosenName(tool, known, `tool_choice.allowed_tools.tools[${index}]`),
      ),
    );
    const client = tools.client.filter(({ function: { name } }) => names.has(name));
    return {
      ...tools,
      client,
      servers: [],
      hosted: [],
      excludesOthers: true,
      choice: modeOf(allowed["mode"] ?? "auto", "tool_choice.allowed_tools.mode"),
    };
  }
  return {
    ...tools,
    choice: { type: "function", name: chosenName(given, namesOf(tools), "tool_choice") },
  };
}

function namesOf({ client }: Declared): ReadonlySet<string> {
  return new Set(client.map(({ function: { name } }) => name));
}

function chosenName(given: unknown, declared: ReadonlySet<string>, at: string): string {
  if (!isObject(given)) throw wrongType(at, "an object", given);
  const nested = given["function"] ?? given["custom"];
  const name = isObject(nested) ? nested["name"] : given["name"];
  if (typeof name !== "string") throw missingParameter(`${at}.function.name`);
  if (declared.has(name)) return name;
  throw badRequest(at, `Invalid '${at}': 'tools' declares no tool '${name.slice(0, 100)}'.`);
}

function modeOf(value: unknown, at: string): "none" | "auto" | "required" {
  const modes = ["none", "auto", "required"] as const;
  const known = modes.find((mode) => mode === value);
  if (known !== undefined) return known;
  throw unsupportedValue(at, value, modes);
}
