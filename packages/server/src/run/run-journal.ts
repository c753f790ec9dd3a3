import type { ChainResultRecord, Journal } from "@capstan/core";
import type { RunStatus } from "../contract/run.ts";
import type { Store } from "../journal/store.ts";
import { runStatusOf } from "./run-status.ts";

/** A chain's journal in the store: fenced as soon as another process claims the run. */
export function runJournal(
  store: Store,
  run: { readonly id: string; readonly epoch: number },
  approvals: "inline" | "deferred",
): Journal {
  return {
    async commit(writes) {
      const result = writes.find((write) => write.type === "result")?.result;
      const status = result === undefined ? undefined : closingStatus(result, approvals);
      const [outcome] = await store.write([
        {
          type: "journal",
          runId: run.id,
          epoch: run.epoch,
          writes,
          ...(status !== undefined && { status }),
        },
      ]);
      if (outcome.status === "committed") return { status: "committed" };
      return {
        status: "fenced",
        reason: outcome.status === "fenced" ? outcome.reason : "the run is not there any more",
      };
    },
  };
}

/** Where only the client can act, waiting closes the run: its next request's run takes the calls over. */
function closingStatus(result: ChainResultRecord, approvals: "inline" | "deferred"): RunStatus {
  if (result.status !== "requires_action") return runStatusOf(result);
  const forPeople =
    approvals === "inline" && result.waiting?.some(({ type }) => type === "approval") === true;
  return forPeople ? "requires_action" : "completed";
}
