import type { CallView } from "@capstan/contract";
import type { CallEntry } from "@capstan/store";

/** A row of the ledger. What is in quarantine is not in it. */
export function callView({ runId, call, updatedAt }: CallEntry): CallView {
  const { quarantine: _hidden, callId, ...known } = call;
  return { id: callId, object: "call", run: runId, updated_at: updatedAt, ...known };
}
