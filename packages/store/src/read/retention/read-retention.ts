import type {
  ShorterCuts,
  SizedLineage,
  Untouched,
  LineageStart,
} from "../../records/read-results.ts";
import { shorterCuts } from "../../encode/cut-points.ts";
import { severalEvents, shorterLayout } from "../../encode/event-layout.ts";
import { forgottenOwner, readLineage } from "./lineage.ts";

import { all, first, type Script } from "../../sql/script.ts";
import { lineageBytes } from "./usage.ts";
import { pageLimit } from "../page.ts";
import type { EventRow } from "../read-events.ts";

/** All who have something, in order; without what was forgotten. */
export function* everyOwner(): Script<string[]> {
  const owners: string[] = [];
  for (let last: string = forgottenOwner; ;) {
    // One look at the index for each, however much they have.
    const row = yield* first<{ owner: string | null }>(
      `SELECT MIN(owner) AS owner FROM (
         SELECT MIN(owner) AS owner FROM runs WHERE owner > ?
         UNION ALL SELECT MIN(owner) AS owner FROM conversations WHERE owner > ?
       ) AS next`,
      last,
      last,
    );
    if (row?.owner == null) return owners;
    last = row.owner;
    owners.push(last);
  }
}

/** An owner's conversations, and sessions outside of any, that were last changed before a time; the oldest first. */
export function* listUntouched(query: {
  readonly owner: string;
  readonly before: number;
  /** The last of the page before. */
  readonly after?: Untouched;
  readonly limit?: number;
}): Script<Untouched[]> {
  const { owner, before } = query;
  const after = query.after ?? { touchedAt: -1, id: "" };
  const rows = yield* all<{ type: LineageStart["type"]; id: string; touched: number }>(
    `SELECT type, id, touched FROM (
       SELECT 'conversation' AS type, id, updated_at AS touched FROM conversations WHERE owner = ?
       UNION ALL
       SELECT 'session' AS type, session_id AS id, MAX(updated_at) AS touched FROM runs
       WHERE owner = ? AND conversation_id IS NULL GROUP BY session_id
     ) AS known
     WHERE touched < ? AND (touched > ? OR (touched = ? AND id > ?)) ORDER BY touched, id LIMIT ?`,
    owner,
    owner,
    before,
    after.touchedAt,
    after.touchedAt,
    after.id,
    pageLimit(query.limit ?? 100),
  );
  return rows.map(({ type, id, touched }) => ({ type, id, touchedAt: touched }));
}

/** What hangs together with a conversation or a session, with what it takes. */
export function* getLineage(query: {
  readonly owner: string;
  readonly start: LineageStart;
}): Script<SizedLineage | undefined> {
  const lineage = yield* readLineage(query);
  return lineage === undefined ? undefined : { ...lineage, bytes: yield* lineageBytes(lineage) };
}

/** Runs looked at, and events returned, about. */
const mostRuns = 100;
const mostEvents = 500;

/**
 * Events of every owner's runs, in the order in which the runs were made, whose deltas need not be
 * cut where they were; and `young`, the keys of those on the way that had not ended before. A run that
 * was made since then cannot be old enough, nor one after it.
 */
export function* everyShorterCuts(query: {
  /** Only of runs that ended before, in ms since the epoch. */
  readonly before: number;
  /** The key of the last run that was read. */
  readonly after: number;
  /** Only of runs with these keys, whenever they were made: few. */
  readonly among?: readonly number[];
}): Script<{
  readonly events: ShorterCuts[];
  readonly young: number[];
  readonly last: number;
  readonly more: boolean;
}> {
  const { before, after, among } = query;
  const chosen = among === undefined ? "" : `AND n IN (${among.map(() => "?").join(", ")})`;
  const runs = yield* all<{ n: number; created_at: number; ended_at: number | null }>(
    `SELECT n, created_at, ended_at FROM runs WHERE n > ? ${chosen} ORDER BY n LIMIT ?`,
    after,
    ...(among ?? []),
    mostRuns,
  );
  const events: ShorterCuts[] = [];
  const young: number[] = [];
  let last = after;
  for (const { n: runN, created_at: createdAt, ended_at: endedAt } of runs) {
    if (among === undefined && createdAt >= before) return { events, young, last, more: false };
    if (endedAt === null || endedAt >= before) {
      young.push(runN);
      last = runN;
      continue;
    }
    const rows = yield* all<EventRow & { readonly cuts: string }>(
      `SELECT seq, type, cuts, events FROM run_journal
       WHERE run_n = ? AND type IN ('item.end', '${severalEvents}') AND cuts LIKE '%:%'`,
      runN,
    );
    for (const { seq, type, cuts, events: text } of rows) {
      const shorter =
        type === severalEvents
          ? shorterLayout({ cuts, events: text })
          : shorterCuts(cuts, (JSON.parse(text) as { text: string }).text);
      if (shorter !== undefined)
        events.push({ runN, seq, cuts: shorter, saves: cuts.length - shorter.length });
    }
    last = runN;
    if (events.length >= mostEvents) return { events, young, last, more: true };
  }
  return { events, young, last, more: runs.length === mostRuns };
}
