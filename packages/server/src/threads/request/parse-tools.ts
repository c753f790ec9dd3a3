import type { AgentGroup, AgentToolFilter } from "@capstan/contract";
import type { JsonObject, ToolDefinition } from "@capstan/core";
import type { ServerGroup, ToolFilter } from "@capstan/store";
import { z } from "zod";
import {
  badRequest,
  checked,
  isObject,
  missingParameter,
  RequestError,
  unsupportedValue,
  wrongType,
} from "../../http/errors.ts";
import { checkDepth, firstRepeated, parseServerGroup, toolName } from "../../http/parse-tool.ts";
import { withoutNulls } from "../../http/read-body.ts";
import { unboundType } from "../../http/tools/hosted-tools.ts";
import { type HostedType, hostedTypes } from "./hosted-tools.ts";

/** The tools of an assistant or of a run. */
export interface AssistantTools {
  /** The tools as the API shows them, without secrets. */
  readonly echo: readonly JsonObject[];
  /** The functions, which the client runs. */
  readonly client: readonly ToolDefinition[];
  /** The server's groups. */
  readonly servers: readonly ServerGroup[];
  readonly hosted: readonly HostedType[];
}

const functionTool = z.object({
  name: toolName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const fileSearch = z.object({
  type: z.literal("file_search"),
  file_search: z
    .object({
      max_num_results: z.int().min(1).max(50).nullish(),
      ranking_options: z
        .object({ score_threshold: z.number().min(0).max(1), ranker: z.string().nullish() })
        .nullish(),
    })
    .nullish(),
});

const maxTools = 128;

/**
 * Parses the `tools` of an assistant or of a run.
 *
 * @param options.origins the server's own addresses, at which a URL can name a group
 * @param options.hosted the hosted types that this installation offers
 * @throws RequestError for an invalid or unavailable tool, or a repeated name
 */
export function parseAssistantTools(
  given: unknown,
  { origins, hosted: available }: ToolSources,
): AssistantTools {
  if (given == null) return noTools;
  if (!Array.isArray(given)) throw wrongType("tools", "an array of tools", given);
  if (given.length > maxTools)
    throw badRequest(
      "tools",
      `Invalid 'tools': got ${given.length} tools. Send at most ${maxTools}.`,
    );
  const echo: JsonObject[] = [];
  const client: ToolDefinition[] = [];
  const servers: ServerGroup[] = [];
  const hosted: HostedType[] = [];
  for (const [index, tool] of (given as readonly unknown[]).entries()) {
    const at = `tools[${index}]`;
    if (!isObject(tool)) throw wrongType(at, "an object", tool);
    const { type } = tool;
    switch (type) {
      case "function": {
        const definition = parseFunction(tool["function"], `${at}.function`);
        client.push(definition);
        echo.push(definition as unknown as JsonObject);
        break;
      }
      case "mcp": {
        const { server, label, echo: shown } = parseServerGroup(tool, { at, origins });
        if (server === undefined) throw foreignServer(`${at}.server_url`, label);
        servers.push(server);
        echo.push(shown);
        break;
      }
      case "file_search":
      case "code_interpreter":
        if (!available.includes(type)) throw unboundType(type, at);
        hosted.push(type);
        echo.push(type === "file_search" ? parseFileSearch(tool, at) : { type });
        break;
      case undefined:
        throw missingParameter(`${at}.type`);
      default:
        throw unsupportedValue(`${at}.type`, type, ["function", "mcp", ...hostedTypes]);
    }
  }
  rejectTwice(
    client.map((tool) => tool.function.name),
    "a function named",
  );
  rejectTwice(
    servers.map(({ group }) => group),
    "the group",
  );
  rejectTwice(hosted, "the type");
  return { echo, client, servers, hosted };
}

/** The names that a request's tools can use. */
export interface ToolSources {
  readonly origins: readonly string[];
  readonly hosted: readonly HostedType[];
}

const noTools: AssistantTools = { echo: [], client: [], servers: [], hosted: [] };

function parseFunction(given: unknown, at: string): ToolDefinition {
  const { name, description, parameters, strict } = checked(functionTool, given, at);
  checkDepth(parameters ?? {}, `${at}.parameters`);
  return {
    type: "function",
    function: { name, ...withoutNulls({ description, parameters, strict }) },
  };
}

function parseFileSearch(tool: object, at: string): JsonObject {
  const { file_search: settings } = checked(fileSearch, tool, at);
  return { type: "file_search", ...(settings && { file_search: settings as JsonObject }) };
}

function foreignServer(param: string, label: string): RequestError {
  const message = `Invalid '${param}': the server '${label.slice(0, 100)}' is not a tool group of this installation. Use capstan://groups/NAME with a name that GET /v1/tools lists.`;
  return badRequest(param, message);
}

function rejectTwice(names: readonly string[], what: string): void {
  const name = firstRepeated(names);
  if (name === undefined) return;
  throw new RequestError({
    param: "tools",
    code: "duplicate_value",
    message: `Invalid 'tools': the request declares ${what} '${name}' twice. Declare it once.`,
  });
}

/** Returns a group of a request as a group of an agent. */
export function agentGroup({ group, allowedTools, requireApproval }: ServerGroup): AgentGroup {
  return {
    group,
    ...(allowedTools !== undefined && { allowed_tools: wireFilter(allowedTools) }),
    ...(requireApproval !== undefined && {
      require_approval:
        typeof requireApproval === "string"
          ? requireApproval
          : {
              ...(requireApproval.always && { always: wireFilter(requireApproval.always) }),
              ...(requireApproval.never && { never: wireFilter(requireApproval.never) }),
            },
    }),
  };
}

function wireFilter({ toolNames, readOnly }: ToolFilter): AgentToolFilter {
  return {
    ...(toolNames !== undefined && { tool_names: toolNames }),
    ...(readOnly !== undefined && { read_only: readOnly }),
  };
}
