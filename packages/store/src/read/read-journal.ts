import { isOutcomeUnknown, type CallsRow, foldCalls } from "../encode/call-records.ts";
import type { CallEntry } from "../records/records.ts";
import { type CheckedRow, isIntact, orCorrupt, requireIntact } from "../schema/row-checksums.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findCalls = statement<CallsRow & CheckedRow>(
  { reads: ["run_journal"] },
  (dialect) =>
    `SELECT at, calls, ${isIntact(dialect, "run_journal", "j")} AS is_intact FROM run_journal j
     WHERE run_n = ? AND ${orCorrupt(dialect, "calls IS NOT NULL", "run_journal", "j")} ORDER BY seq, nth`,
);

const findMessages = statement<CheckedRow & { messages: string }>(
  { reads: ["run_journal"] },
  (dialect) =>
    `SELECT messages, ${isIntact(dialect, "run_journal", "j")} AS is_intact FROM run_journal j
     WHERE run_n = ? AND ${orCorrupt(dialect, "messages IS NOT NULL", "run_journal", "j")} ORDER BY seq, nth`,
);

/** Reads the calls in a run's commits, in order. */
export function* callRows(runN: number): Script<readonly CallsRow[]> {
  const rows = yield* all(findCalls, runN);
  requireIntact("run_journal", ...rows);
  return rows;
}

/** Reads the current calls of a run, in the order in which they were proposed. */
export function* callsOf(run: { readonly n: number; readonly id: string }): Script<CallEntry[]> {
  return foldCalls(yield* callRows(run.n)).map((known) => ({ runId: run.id, ...known }));
}

/**
 * Reads the calls of one of several runs, so that a run with corrupt calls does not hide the
 * others.
 *
 * @returns undefined if the calls cannot be read
 */
export function* readableCallsOf(run: {
  readonly n: number;
  readonly id: string;
}): Script<CallEntry[] | undefined> {
  const rows = yield* all(findCalls, run.n);
  try {
    requireIntact("run_journal", ...rows);
    return foldCalls(rows).map((known) => ({ runId: run.id, ...known }));
  } catch {
    return undefined;
  }
}

/** Reads the messages in a run's commits, in order: each a JSON array. */
export function* messageTexts(runN: number): Script<readonly string[]> {
  const rows = yield* all(findMessages, runN);
  requireIntact("run_journal", ...rows);
  return rows.map(({ messages }) => messages);
}

/**
 * Returns whether the outcomes of all calls of a run are known: `unknown` if a call's outcome is
 * unknown and no user has reported it, `unreadable` if the run's calls are corrupt.
 */
export function* readCallOutcomes(run: {
  readonly n: number;
  readonly id: string;
}): Script<"known" | "unknown" | "unreadable"> {
  const calls = yield* readableCallsOf(run);
  if (calls === undefined) return "unreadable";
  return calls.some(({ call }) => isOutcomeUnknown(call)) ? "unknown" : "known";
}
