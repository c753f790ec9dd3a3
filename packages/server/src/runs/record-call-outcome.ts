import type { CallRecord } from "@capstan/core";
import { type FoundOutcome, withFoundOutcome } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";

export type CallOutcomeResult =
  /** The call's current row. A second report does not change the first outcome. */
  | { readonly status: "answered" | "already_answered"; readonly call: CallRecord }
  /** The run has no such call, or its outcome is known. */
  | { readonly status: "refused"; readonly call: CallRecord | undefined };

/**
 * Records a user's report on a call with an unknown outcome. The model reads it from the next
 * request on. A call that is to run again does so when its run is retried.
 */
export async function recordCallOutcome(
  store: Store,
  { owner, id: runId }: Pick<RunRecord, "owner" | "id">,
  callId: string,
  found: FoundOutcome,
): Promise<CallOutcomeResult> {
  const entries = (await store.readCalls({ owner, runId })) ?? [];
  const before = entries.find(({ call }) => call.callId === callId)?.call;
  if (before?.status !== "outcome_unknown") return { status: "refused", call: before };
  const call = withFoundOutcome(before, found);
  if (call === undefined) return { status: "already_answered", call: before };
  const [outcome] = await store.write([{ type: "answer-call", owner, runId, call }]);
  return "call" in outcome ? outcome : { status: "refused", call: undefined };
}
