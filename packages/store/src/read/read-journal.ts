import { isOutcomeUnknown, type CallsRow, foldCalls } from "../encode/call-records.ts";
import type { CallEntry } from "../records/records.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const findCalls = statement<CallsRow>(
  { reads: ["run_journal"] },
  "SELECT at, calls FROM run_journal WHERE run_n = ? AND calls IS NOT NULL ORDER BY seq, nth",
);

const findMessages = statement<{ messages: string }>(
  { reads: ["run_journal"] },
  "SELECT messages FROM run_journal WHERE run_n = ? AND messages IS NOT NULL ORDER BY seq, nth",
);

/** What a run's commits say of calls, in order. */
export function callRows(runN: number): Script<readonly CallsRow[]> {
  return all(findCalls, runN);
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
  const rows = yield* callRows(run.n);
  try {
    return foldCalls(rows).map((known) => ({ runId: run.id, ...known }));
  } catch {
    return undefined;
  }
}

/** What a run's commits say of messages, in order: each a JSON array. */
export function* messageTexts(runN: number): Script<readonly string[]> {
  const rows = yield* all(findMessages, runN);
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
