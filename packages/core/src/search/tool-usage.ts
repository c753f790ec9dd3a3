import { LruCache } from "../base/lru-cache.ts";
import { queryWords } from "./search-words.ts";
import type { UsageWeights } from "./tool-index.ts";

/** The maximum number of users whose usage is stored. */
const maxOwners = 500;

/** The maximum number of words that are stored for one user. */
const maxTerms = 2_000;

/** The maximum number of tools that are stored for one word. */
const maxTools = 20;

/** The number of calls after which usage has half of its maximum weight. */
const halfCalls = 1;

/**
 * Counts which tools a user's sessions called after a search, for each word of the query. These
 * tools rank higher in later searches with these words. The counts are in memory and bounded.
 */
export class ToolUsage {
  readonly #owners = new LruCache<string, LruCache<string, Map<string, number>>>(maxOwners);

  /** Records that a tool was called after a query. */
  note(
    owner: string,
    { query, toolId }: { readonly query: string; readonly toolId: string },
  ): void {
    let terms = this.#owners.get(owner);
    if (terms === undefined) {
      terms = new LruCache(maxTerms);
      this.#owners.set(owner, terms);
    }
    for (const term of new Set(queryWords(query).map((word) => word.term))) {
      const counts = terms.get(term) ?? new Map<string, number>();
      if (counts.size >= maxTools && !counts.has(toolId)) continue;
      counts.set(toolId, (counts.get(toolId) ?? 0) + 1);
      terms.set(term, counts);
    }
  }

  /** Returns the weights of an owner's usage, for `ToolIndex.search`. */
  of(owner: string): UsageWeights {
    const terms = this.#owners.get(owner);
    return {
      weightsOf(term) {
        const counts = terms?.get(term);
        if (counts === undefined) return undefined;
        return new Map([...counts].map(([id, count]) => [id, count / (count + halfCalls)]));
      },
    };
  }
}
