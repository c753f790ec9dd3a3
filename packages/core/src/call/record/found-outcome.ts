import { neutralise } from "../../text/neutralise.ts";
import type { CallRecord } from "./call-record.ts";
import { errorText } from "./call-status.ts";
import { previewChars } from "./call-outcome.ts";

/** A user's report on a call with an unknown outcome: whether it happened. */
export interface FoundOutcome {
  readonly answer: "happened" | "did_not_happen" | "run_again";
  readonly by: string;
  /** Ms since the epoch. */
  readonly at: number;
  /** The user's comment, which the model reads too. */
  readonly note?: string;
}

const words: { readonly [answer in FoundOutcome["answer"]]: string } = {
  happened: "A user checked: it did happen. Its result is not known. Do not do it again",
  did_not_happen: "A user checked: it did not happen. Do it again if it is still needed",
  run_again: "A user wants it run again. Call it again, unless you already have",
};

/**
 * Returns a call's row with a user's report of whether the call happened; the model reads the
 * report from now on. The first report counts. Returns `undefined` if there is already a report or
 * if the outcome is known.
 *
 * @example
 * const call = withFoundOutcome(record, { answer: "happened", by: "ann", at: Date.now() });
 */
export function withFoundOutcome(call: CallRecord, found: FoundOutcome): CallRecord | undefined {
  if (call.status !== "outcome_unknown" || call.result === undefined || call.found !== undefined)
    return undefined;
  const comment = found.note === undefined ? "" : ` The user says: ${found.note}`;
  const message = neutralise(`${words[found.answer]}.${comment}`).toWellFormed();
  const error = { code: "outcome_unknown", message };
  const finalText = errorText(error);
  const preview = finalText.slice(0, previewChars);
  return { ...call, found, result: { ...call.result, finalText, preview, error } };
}

/**
 * Returns the calls with which a stopped chain resumes. A call that a user wants to run again is
 * open and approved by that user, and keeps its idempotency key.
 */
export function reopenedByUser(calls: readonly CallRecord[]): readonly CallRecord[] {
  return calls.map((call) => {
    if (call.status !== "outcome_unknown" || call.found?.answer !== "run_again") return call;
    const { result: _result, startedAt: _startedAt, endedAt: _endedAt, ...open } = call;
    return { ...open, status: "approved", decision: { verdict: "allowed", by: "person" } };
  });
}
