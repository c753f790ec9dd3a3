import type { ToolDefinition } from "../model/model.ts";
import { estimateTokens } from "../text/truncate.ts";

/**
 * Selects deferred definitions, and names those that the model has found. The model is shown a
 * deferred definition only after it found its tool.
 */
export interface ToolDeferral {
  /**
   * If the definitions of the offered tools have more tokens together, as estimated, all of them are
   * deferred. A client's tools do not count.
   */
  readonly maxTokens: number;
  /**
   * Returns whether a tool is always deferred, by `group.Tool` or by the name of a client's tool.
   * @default none is
   */
  readonly defers?: (id: string) => boolean;
  /** The tool that finds deferred tools, `group.Tool`. Offered only if a tool is deferred. */
  readonly searchTool: string;
  /**
   * Returns the tools that the model has found or called, in this order, as `group.Tool` or the
   * name of a client's tool.
   *
   * @param names the names of the offered tools, as in `ToolOffer.names`
   */
  readonly loaded: (names: { readonly [modelName: string]: string }) => readonly string[];
}

/** A tool that is offered, with its definition under the name that the model uses. */
export interface NamedTool {
  /** `group.Tool`, or the name of a client's tool. */
  readonly id: string;
  readonly definition: ToolDefinition;
  readonly isClients: boolean;
  /** It is offered whenever there is another tool. */
  readonly isAlways: boolean;
}

/** The definitions that the model is shown, and the names of all deferred tools. */
interface ShownTools {
  readonly definitions: readonly ToolDefinition[];
  /** Absent: none is deferred. */
  readonly deferred?: ReadonlySet<string>;
}

/**
 * Returns the definitions to show. Loaded deferred tools come last, in the order of their loading,
 * so that each request begins like the one before it.
 */
export function shownTools(
  tools: readonly NamedTool[],
  deferral: ToolDeferral,
  names: { readonly [modelName: string]: string },
): ShownTools {
  const { maxTokens, defers = () => false, searchTool } = deferral;
  const others = tools.filter(({ id }) => id !== searchTool);
  const own = others.filter(({ isClients }) => !isClients);
  const isOver = tokensOf(own, maxTokens) > maxTokens;
  const isDeferred = ({ id, isClients, isAlways }: NamedTool): boolean =>
    !isAlways && ((isOver && !isClients) || defers(id));
  const deferred = new Map(others.filter(isDeferred).map((tool) => [tool.id, tool]));
  if (deferred.size === 0) return { definitions: others.map(definitionOf) };
  const loaded = deferral.loaded(names).flatMap((id) => deferred.get(id) ?? []);
  return {
    definitions: [
      ...tools.filter(({ id }) => !deferred.has(id)),
      ...newest([...new Set(loaded)], maxTokens),
    ].map(definitionOf),
    deferred: new Set([...deferred.values()].map(({ definition }) => definition.function.name)),
  };
}

/**
 * Returns the tools. If they have more tokens than `max`, removes the oldest ones until at most
 * half of `max` remains. So the beginning of requests seldom changes.
 */
function newest(loaded: readonly NamedTool[], max: number): readonly NamedTool[] {
  let from = 0;
  let sum = 0;
  for (const [index, tool] of loaded.entries()) {
    sum += definitionTokens(tool.definition);
    if (sum <= max) continue;
    // One tool is shown, however long its definition is.
    while (sum > max / 2 && from < index) {
      const oldest = loaded[from++];
      sum -= oldest === undefined ? 0 : definitionTokens(oldest.definition);
    }
  }
  return loaded.slice(from);
}

function definitionOf({ definition }: NamedTool): ToolDefinition {
  return definition;
}

/** Returns the tokens of definitions, or any larger number than `max` if there are more. */
function tokensOf(tools: readonly NamedTool[], max: number): number {
  let sum = 0;
  for (const { definition } of tools) {
    sum += definitionTokens(definition);
    if (sum > max) return sum;
  }
  return sum;
}

const tokens = new WeakMap<ToolDefinition["function"], number>();

/** Estimates the tokens, so that the number does not depend on whether a tokenizer is loaded. */
function definitionTokens({ function: spec }: ToolDefinition): number {
  let known = tokens.get(spec);
  if (known === undefined) {
    known = estimateTokens(JSON.stringify(spec));
    tokens.set(spec, known);
  }
  return known;
}
