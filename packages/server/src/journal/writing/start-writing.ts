import type { Sql } from "../sql.ts";
import { clearLog } from "./quarantine.ts";
import { RunStates } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** What was under way when the last process ended. */
export interface Leftover {
  readonly runId: string;
  readonly lastSeq: number;
  readonly items: readonly { readonly itemId: string; readonly head: number }[];
}

/** Prepares a connection for writing. */
export function startWriting(sql: Sql): {
  readonly writing: Writing;
  readonly leftovers: readonly Leftover[];
} {
  const runs = new RunStates(sql);
  const leftovers = runs
    .recover()
    .map((run) => ({ runId: run.id, lastSeq: run.lastSeq, items: run.open }));
  const row = sql.get<{ next: number }>("SELECT COALESCE(MAX(n), 0) + 1 AS next FROM tail");
  // The process before this one may have ended between a wipe and the log's clearing.
  const writing: Writing = { sql, runs, nextTail: row?.next ?? 1, wiped: true };
  clearLog(writing);
  return { writing, leftovers };
}
