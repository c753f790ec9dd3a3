import { nearestNames, oneLine } from "@capstan/core/host";
import type { SearchSession, ToolSearch } from "../tool-search/tool-search.ts";
import type { CallToolResult, Tool } from "../libraries/mcp-server.ts";
import { isObject } from "../http/errors.ts";
import { textResult } from "./calls/call-result.ts";
import type { ListedTool } from "./protocol/tool-list.ts";

/** The tool that finds the tools which are not listed. */
export const searchTools = "SearchTools";

/** The tool that calls a tool which is not listed. */
export const callAny = "CallTool";

type Tools = ReadonlyMap<string, ListedTool>;

/** The longest result, in characters: hosts cut longer ones. */
const resultChars = 10_000;

const maxFound = 20;

const searchDefinition: Tool = {
  name: searchTools,
  title: "Search for tools",
  description: `Finds further tools by what you want to do, for example "rename a file", with their parameters. Call them with ${callAny}.`,
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "The task, or the name of a tool." },
      limit: { type: "integer", minimum: 1, maximum: maxFound, description: "5 by default." },
    },
    required: ["query"],
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

const callDefinition: Tool = {
  name: callAny,
  title: "Call a tool",
  description: `Calls a tool that ${searchTools} found.`,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the tool." },
      arguments: { type: "object", description: "The tool's own arguments." },
    },
    required: ["name"],
  },
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
};

/**
 * Returns the definitions that a client lists. If there are more tools than `max`, the list has the
 * first ones, and two tools that find and call the others.
 *
 * @param common tools that are always listed; they count toward `max`
 */
export function listedDefinitions(
  tools: Tools,
  { max, common }: { readonly max: number; readonly common: readonly Tool[] },
): readonly Tool[] {
  const all = [...tools.values()].map(({ definition }) => definition);
  if (common.length + all.length <= max) return [...common, ...all];
  const always = [...common, searchDefinition, callDefinition];
  return [...always, ...all.slice(0, Math.max(0, max - always.length))];
}

/**
 * Answers a call of `SearchTools`: the tools with their parameters, up to the maximum length of a
 * result.
 */
export async function findListed(
  search: ToolSearch,
  tools: Tools,
  { session, args, signal }: FindOptions,
): Promise<CallToolResult> {
  const { query, limit = 5 } = args;
  if (typeof query !== "string" || query.trim() === "")
    return textResult(`query: expected the task as a text, for example "rename a file".`, true);
  if (!isLimit(limit))
    return textResult(`limit: expected a whole number from 1 to ${maxFound}.`, true);
  const byId = new Map([...tools].map(([name, tool]) => [tool.registered.id, { name, tool }]));
  const searched = [...tools.values()].map(({ registered: { id, tool, group } }) => ({
    id,
    definition: tool.definition,
    group,
  }));
  const ids = await search.find({ session, tools: searched, query, limit, signal });
  const found = ids.flatMap((id) => byId.get(id) ?? []);
  if (found.length === 0)
    return textResult(
      `No tool matches "${oneLine(query, 100)}". Search again with other words for the task, in English.`,
    );
  const parts = [
    `Call these tools with ${callAny}, for example {"name": "${found[0]?.name}", "arguments": {…}}:`,
  ];
  let rest = resultChars - (parts[0]?.length ?? 0);
  for (const { name, tool } of found) {
    const { description = "", inputSchema } = tool.definition;
    const about = `- ${name}: ${oneLine(description, 300)}`;
    const whole = `${about}\n  arguments: ${JSON.stringify(inputSchema)}`;
    const text =
      whole.length <= rest
        ? whole
        : `${about}\n  Its parameters are too long for this result: search for "${name}" with limit 1.`;
    if (found.length > 1 && text.length > rest) break;
    parts.push(text);
    rest -= text.length;
  }
  return textResult(parts.join("\n"));
}

interface FindOptions {
  readonly session: SearchSession;
  readonly args: { readonly [name: string]: unknown };
  readonly signal: AbortSignal;
}

function isLimit(limit: unknown): limit is number {
  return typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= maxFound;
}

/** Returns the call that a call of `CallTool` makes, or the result that says why there is none. */
export function innerCall(
  tools: Tools,
  { name, arguments: given = {} }: { readonly [name: string]: unknown },
):
  | {
      readonly name: string;
      readonly args: { readonly [name: string]: unknown };
      readonly tool: ListedTool;
    }
  | { readonly problem: CallToolResult } {
  const problem = (text: string) => ({ problem: textResult(text, true) });
  if (typeof name !== "string")
    return problem(`name: expected the name of a tool that ${searchTools} found.`);
  const tool = tools.get(name);
  if (tool === undefined) {
    const near = nearestNames(name, tools.keys());
    const hint =
      near.length > 0 ? `Did you mean ${near.join(", ")}?` : `Find one with ${searchTools}.`;
    return problem(`There is no tool "${name.slice(0, 100)}". ${hint}`);
  }
  if (!isObject(given))
    return problem("arguments: expected an object with the tool's own arguments.");
  return { name, args: given, tool };
}
