import type { CallRecord } from "@capstan/core";
import { type FoundOutcome, withFoundOutcome } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";

export type CallAnswer =
  /** Its row now; after a second answer, with the first one. */
  | { readonly status: "answered" | "already_answered"; readonly call: CallRecord }
  /** The run made no such call, or it is known what became of it. */
  | { readonly status: "refused"; readonly call: CallRecord | undefined };

/**
 * A person's word on a call that may or may not have happened. The model reads it from the next
 * request on; one that is to run again does so when its run is retried.
 */
export async function answerCall(
  store: Store,
  { owner, id: runId }: Pick<RunRecord, "owner" | "id">,
  callId: string,
  found: FoundOutcome,
): Promise<CallAnswer> {
  const entries = (await store.readCalls({ owner, runId })) ?? [];
  const before = entries.find(({ call }) => call.callId === callId)?.call;
  if (before?.status !== "outcome_unknown") return { status: "refused", call: before };
  const call = withFoundOutcome(before, found);
  if (call === undefined) return { status: "already_answered", call: before };
  const [outcome] = await store.write([{ type: "answer-call", owner, runId, call }]);
  return "call" in outcome ? outcome : { status: "refused", call: undefined };
}
