import { setImmediate as nextTurn } from "node:timers/promises";
import { inTurns } from "@capstan/core/base";
import type { SearchableTool, ToolIndex, ToolUsage } from "@capstan/core/search";
import { createToolVectors, type EmbedTexts } from "./tool-vectors.ts";

/** Finds tools by a task, for the users of this process. */
export interface ToolSearch {
  /**
   * Returns the ids of the tools that match best.
   *
   * @param request.session the conversation or client whose later calls count as usage of the query
   */
  find(request: FindRequest): Promise<readonly string[]>;
  /** Records that a session called a tool, which then ranks higher for the session's last query. */
  called(session: SearchSession, toolId: string): void;
}

/** A user's conversation, or a program of a user. */
export interface SearchSession {
  readonly owner: string;
  readonly id: string;
}

interface FindRequest {
  readonly session: SearchSession;
  readonly tools: readonly SearchableTool[];
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The maximum number of sessions whose last query is cached. */
const maxSessions = 1_000;

/** The maximum number of calls after a query that count as its usage. */
const maxCalls = 5;

/** The time after which creating an index yields to the event loop, in milliseconds. */
const turnMs = 20;

/** The number of matches of each ranking that are combined. */
const fused = 50;

/**
 * Creates the search of tools of a process. Usage is in memory: it is lost with the process, and other
 * nodes have their own.
 *
 * @param options.embed turns texts into vectors with the configured model. @default words only
 */
export function createToolSearch({ embed }: { readonly embed?: EmbedTexts } = {}): ToolSearch {
  let usage: ToolUsage | undefined;
  const vectors = embed && createToolVectors(embed);
  const queries = new Map<string, { readonly query: string; calls: number }>();
  let last: { readonly key: readonly object[]; readonly index: ToolIndex } | undefined;

  async function indexOf(tools: readonly SearchableTool[]): Promise<ToolIndex> {
    const key = tools.map(({ definition }) => definition);
    const isSame = (known: readonly object[]): boolean =>
      known.length === key.length && known.every((each, index) => each === key[index]);
    if (last !== undefined && isSame(last.key)) return last.index;
    const { toolIndexSteps } = await import("@capstan/core/search");
    const index = await inTurns(toolIndexSteps(tools), { turnMs, nextTurn });
    last = { key, index };
    return index;
  }

  return {
    async find({ session, tools, query, limit, signal }) {
      const { fuseRankings, ToolUsage } = await import("@capstan/core/search");
      usage ??= new ToolUsage();
      const index = await indexOf(tools);
      const byWords = index
        .search(query, { limit: Math.max(limit, fused), usage: usage.of(session.owner) })
        .map(({ id }) => id);
      const byMeaning = await vectors?.nearest({ tools, query, limit: fused, signal });
      const { owner, id } = session;
      const name = JSON.stringify([owner, id]);
      queries.delete(name);
      queries.set(name, { query, calls: 0 });
      for (const oldest of queries.keys()) {
        if (queries.size <= maxSessions) break;
        queries.delete(oldest);
      }
      const ranking = byMeaning === undefined ? byWords : fuseRankings([byWords, byMeaning]);
      return ranking.slice(0, limit);
    },
    called({ owner, id }, toolId) {
      const known = queries.get(JSON.stringify([owner, id]));
      if (known === undefined || known.calls >= maxCalls) return;
      known.calls += 1;
      usage?.note(owner, { query: known.query, toolId });
    },
  };
}
