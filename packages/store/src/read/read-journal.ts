import { isOutcomeUnknown, type CallsRow, foldCalls } from "../encode/call-records.ts";
import type { CallEntry } from "../records/records.ts";
import { type CheckedRow, isIntact, orDamaged, requireIntact } from "../schema/row-checksums.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findCalls = statement<CallsRow & CheckedRow>(
  { reads: ["run_journal"] },
  (dialect) =>
    `SELECT at, calls, ${isIntact(dialect, "run_journal", "j")} AS is_intact FROM run_journal j
     WHERE run_n = ? AND ${orDamaged(dialect, "calls IS NOT NULL", "run_journal", "j")} ORDER BY seq, nth`,
);

const findMessages = statement<CheckedRow & { messages: string }>(
  { reads: ["run_journal"] },
  (dialect) =>
    `SELECT messages, ${isIntact(dialect, "run_journal", "j")} AS is_intact FROM run_journal j
     WHERE run_n = ? AND ${orDamaged(dialect, "messages IS NOT NULL", "run_journal", "j")} ORDER BY seq, nth`,
);

/** What a run's commits say of calls, in order. */
export function* callRows(runN: number): Script<readonly CallsRow[]> {
  const rows = yield* all(findCalls, runN);
  requireIntact("run_journal", ...rows);
  return rows;
}

/** A run's calls as they are now, in the order in which they were proposed. */
export function* callsOf(run: { readonly n: number; readonly id: string }): Script<CallEntry[]> {
  return foldCalls(yield* callRows(run.n)).map((known) => ({ runId: run.id, ...known }));
}

/**
 * The same where several runs are looked through: one whose calls are damaged must not hide the others'.
 *
 * @returns undefined where they cannot be read
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

/** What a run's commits say of messages, in order: each a JSON array. */
export function* messageTexts(runN: number): Script<readonly string[]> {
  const rows = yield* all(findMessages, runN);
  requireIntact("run_journal", ...rows);
  return rows.map(({ messages }) => messages);
}

/**
 * Whether the outcomes of all calls of a run are known. Returns `unknown` if a call's outcome is
 * unknown and no user has set it, and `unreadable` if the run's calls are corrupt.
 */
export function* readCallOutcomes(run: {
  readonly n: number;
  readonly id: string;
}): Script<"known" | "unknown" | "unreadable"> {
  const calls = yield* readableCallsOf(run);
  if (calls === undefined) return "unreadable";
  return calls.some(({ call }) => isOutcomeUnknown(call)) ? "unknown" : "known";
}
