import type { ToolContext, ToolExecutor } from "@capstan/core";
import type { OfferOptions } from "@capstan/core/host";
import type { SearchableTool } from "@capstan/core/search";
import type { RunRecord, StoredRequest } from "@capstan/store";
import {
  type ListedMatch,
  searchGroup,
  searchTool,
  searchTools,
} from "../../tool-search/search-tools.ts";
import type { ToolSearch } from "../../tool-search/tool-search.ts";
import type { ServerLimits } from "../request/run-limits.ts";
import type { LoadedTools } from "./loaded-tools.ts";

type DeferringRequest = Pick<StoredRequest, "settings" | "toolSearch" | "call">;

/**
 * Adds the deferral of definitions to an offer: if the definitions exceed the limit, the model is
 * shown an index, `SearchTools`, and the tools that it has found.
 *
 * @param options.loaded the tools that were found or called before. @default none
 */
export function deferDefinitions(
  offered: OfferOptions,
  {
    executor,
    request,
    limits,
    loaded,
  }: {
    readonly executor: ToolExecutor;
    readonly request: DeferringRequest;
    readonly limits: Pick<ServerLimits, "toolTokens">;
    readonly loaded?: Pick<LoadedTools, "list">;
  },
): OfferOptions {
  const { settings, toolSearch, call } = request;
  if (call !== undefined) return offered;
  if (executor.gate.registry.tool(searchTool) === undefined) return offered;
  const { toolChoice } = settings;
  const deferred = new Set(toolSearch?.tools);
  const groups = new Set(toolSearch?.groups);
  return {
    ...offered,
    deferral: {
      maxTokens: limits.toolTokens,
      searchTool,
      defers: (id) => {
        const dot = id.indexOf(".");
        return dot < 0 ? deferred.has(id) : groups.has(id.slice(0, dot));
      },
      loaded: (names) => [
        // Providers reject a choice of a tool without a definition.
        ...(typeof toolChoice === "object"
          ? [toolChoice.type === "tool" ? toolChoice.toolId : toolChoice.name]
          : []),
        ...(loaded?.list(names) ?? []),
      ],
    },
  };
}

/**
 * Registers `SearchTools` for the tools of a run. A group of the same name that already exists stays,
 * and no definition is deferred then.
 *
 * @param options.offered returns the offer of the current round
 */
export function registerSearchTools(
  executor: ToolExecutor,
  {
    run,
    search,
    offered,
  }: {
    readonly run: Pick<RunRecord, "owner" | "sessionId">;
    readonly search: ToolSearch;
    readonly offered: () => OfferOptions;
  },
): void {
  if (executor.gate.registry.group(searchGroup) !== undefined) return;
  const session = { owner: run.owner, id: run.sessionId };
  const find = async (
    { query, limit }: { readonly query: string; readonly limit: number },
    { signal }: ToolContext,
  ): Promise<readonly ListedMatch[]> => {
    const tools = deferredTools(executor, offered());
    const byId = new Map(tools.map((tool) => [tool.id, tool]));
    const ids = await search.find({ session, tools, query, limit, signal });
    return ids.flatMap((id) => {
      const tool = byId.get(id);
      if (tool === undefined) return [];
      const { group } = tool;
      const { description = "" } = tool.definition.function;
      return { name: tool.name, ...(group && { group: group.name }), description };
    });
  };
  executor.registerToolGroup(searchTools(find));
}

interface DeferredTool extends SearchableTool {
  /** The name that the model uses. */
  readonly name: string;
}

function deferredTools(executor: ToolExecutor, options: OfferOptions): readonly DeferredTool[] {
  const { names, deferred } = executor.offer(options);
  const { clientTools = [] } = options;
  return [...(deferred ?? [])].flatMap((name): readonly DeferredTool[] => {
    const id = Object.hasOwn(names, name) ? names[name] : undefined;
    const registered = id === undefined ? undefined : executor.gate.registry.tool(id);
    if (registered !== undefined) {
      const { tool, group } = registered;
      return [{ id: registered.id, name, definition: tool.definition, group }];
    }
    const definition = clientTools.find((tool) => tool.function.name === name);
    return definition === undefined ? [] : [{ id: name, name, definition }];
  });
}
