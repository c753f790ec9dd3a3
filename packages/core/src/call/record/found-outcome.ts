import { neutralise } from "../../text/neutralise.ts";
import type { CallRecord } from "./call-record.ts";
import { errorText } from "./call-status.ts";
import { previewChars } from "./call-outcome.ts";

/** What a person says of a call of which nobody knew whether it had happened. */
export interface FoundOutcome {
  readonly answer: "happened" | "did_not_happen" | "run_again";
  readonly by: string;
  /** Ms since the epoch. */
  readonly at: number;
  /** In their own words, for the model, too. */
  readonly note?: string;
}

const words: { readonly [answer in FoundOutcome["answer"]]: string } = {
  happened: "A person looked: it did happen. What it gave is not known. Do not do it again",
  did_not_happen: "A person looked: it did not happen. Do it again if it is still wanted",
  run_again: "A person wants it run again. Call it again, unless that was done since",
};

/**
 * A call's row with a person's word on whether it happened, which is what a model reads of the
 * call from now on. The first word counts: undefined where there is one, or nothing to ask.
 *
 * @example
 * const call = withFoundOutcome(record, { answer: "happened", by: "ann", at: Date.now() });
 */
export function withFoundOutcome(call: CallRecord, found: FoundOutcome): CallRecord | undefined {
  if (call.status !== "outcome_unknown" || call.result === undefined || call.found !== undefined)
    return undefined;
  const said = found.note === undefined ? "" : ` They say: ${found.note}`;
  const message = neutralise(`${words[found.answer]}.${said}`).toWellFormed();
  const error = { code: "outcome_unknown", message };
  const finalText = errorText(error);
  const preview = finalText.slice(0, previewChars);
  return { ...call, found, result: { ...call.result, finalText, preview, error } };
}

/**
 * The calls with which a stopped chain is carried on: one that a person wants run again is open,
 * allowed by that person, and keeps its idempotency key.
 */
export function reopenedByPerson(calls: readonly CallRecord[]): readonly CallRecord[] {
  return calls.map((call) => {
    if (call.status !== "outcome_unknown" || call.found?.answer !== "run_again") return call;
    const { result: _result, startedAt: _startedAt, endedAt: _endedAt, ...open } = call;
    return { ...open, status: "approved", decision: { verdict: "allowed", by: "person" } };
  });
}
