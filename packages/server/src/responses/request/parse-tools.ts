import type { ServerGroup } from "@capstan/store";
import type { JsonObject, ToolDefinition } from "@capstan/core";
import {
  type ApiError,
  failed,
  invalidRequest,
  missingParameter,
  ok,
  type Parsed,
} from "../../http/api-error.ts";
import type { RequestTools } from "./create-request.ts";
import { wrongType } from "./issue-error.ts";
import { parseCustomTool, parseFunctionTool } from "./parse-client-tool.ts";
import { parseServer } from "./parse-server.ts";
import { isObject } from "./without-nulls.ts";

export interface ParsedTools extends RequestTools {
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
