import { defineTool, type Tool, type ToolContext, type ToolGroup } from "@capstan/core";
import { oneLine } from "@capstan/core/host";
import { z } from "zod";

/** The name of the group that has only `SearchTools`. No other group may have it. */
export const searchGroup = "tool-search";

/** `SearchTools`, as `group.Tool`. */
export const searchTool = `${searchGroup}.SearchTools`;

/** A tool in the result of a search. */
export interface ListedMatch {
  /** The name that the model calls. */
  readonly name: string;
  /** Absent for a client's tool. */
  readonly group?: string;
  readonly description: string;
}

interface SearchResult {
  readonly query: string;
  readonly tools: readonly ListedMatch[];
}

interface SearchArgs {
  readonly query: string;
  readonly limit: number;
}

const maxLimit = 20;

/**
 * The maximum characters of a description. It can be short, because the next request has the
 * definitions of the found tools.
 */
const descriptionChars = 160;

const parameters = z.object({
  query: z.string().trim().min(1).max(1_000),
  limit: z.int().min(1).max(maxLimit).optional(),
});

type Find = (args: SearchArgs, context: ToolContext) => Promise<readonly ListedMatch[]>;

/**
 * Returns the group with the tool that finds deferred tools. The next request has the definitions of
 * the tools that a result names. Each run has its own group; all groups share one definition.
 */
export function searchTools(find: Find): ToolGroup {
  definition ??= defineSearch();
  const execute: Tool["execute"] = async (given, context): Promise<SearchResult> => {
    const { query, limit = 5 } = given as Omit<SearchArgs, "limit"> & Partial<SearchArgs>;
    return { query, tools: await find({ query, limit }, context) };
  };
  return { name: searchGroup, title: "Search of tools", tools: [{ ...definition, execute }] };
}

let definition: Tool | undefined;

function defineSearch(): Tool {
  return defineTool({
    name: "SearchTools",
    description:
      "Finds tools by what you want to do, for example `rename a file`. Found tools can be called from then on.",
    parameters,
    effects: "read",
    permission: { executionPolicy: "auto" },
    alwaysOffered: true,
    // Later requests find the loaded tools in the text of the result, so it is never shortened.
    SKIP_CACHE_RESULT: true,
    SKIP_EXTERNAL_TRUNCATE: true,
    compressArgs: ({ query }) => query,
    formatForLLM: (result: SearchResult) => resultText(result),
    // Replaced by the function of each run.
    execute: (): SearchResult => ({ query: "", tools: [] }),
  });
}

/** Returns the text of a result, from which `foundNames` reads the names. */
export function resultText({ query, tools }: SearchResult): string {
  if (tools.length === 0)
    return `No tool matches ${JSON.stringify(oneLine(query, 100))}. Search again with other words for the task, in English, or do without a tool.`;
  const lines = tools.map(
    ({ name, group, description }) =>
      `- ${name}${group === undefined ? "" : ` (${group})`}: ${oneLine(description, descriptionChars)}`,
  );
  return [
    tools.length === 1
      ? "Found a tool; call it now if it fits:"
      : "Found tools; call those that fit now:",
    ...lines,
  ].join("\n");
}

/** Returns the names of the tools in the text of a result. */
export function foundNames(text: string): readonly string[] {
  return [...text.matchAll(/^- ([\w-]{1,64})(?: \([\w-]{1,64}\))?: /gm)].map(
    ([, name = ""]) => name,
  );
}
