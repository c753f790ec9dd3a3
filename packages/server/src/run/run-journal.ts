import { type ChainResultRecord, errorMessage, type Journal, type Message } from "@capstan/core";
import type { RunStatus } from "../contract/run.ts";
import type { Store } from "../journal/store.ts";
import { runStatusOf } from "./run-status.ts";

export interface RunJournal extends Journal {
  /** Nothing is left to write: where the chain stopped is written, or another has the run. */
  readonly settled: boolean;
  /** Why the store did not take something. */
  readonly failure: string | undefined;
}

/** A chain's journal in the store: fenced as soon as another process claims the run. */
export function runJournal(
  store: Store,
  run: { readonly id: string; readonly epoch: number },
  options: {
    readonly approvals: "inline" | "deferred";
    /** Messages that are in the journal already: the chain has the very same ones, and writes them, too. */
    readonly written: readonly Message[];
  },
): RunJournal {
  const { approvals } = options;
  const written = new Set(options.written);
  let settled = false;
  let failure: string | undefined;
  return {
    get settled() {
      return settled;
    },
    get failure() {
      return failure;
    },
    async commit(all) {
      const writes = all.filter((write) => write.type !== "message" || !written.has(write.message));
      const result = writes.find((write) => write.type === "result")?.result;
      const status = result === undefined ? undefined : closingStatus(result, approvals);
      const { id: runId, epoch } = run;
      try {
        const [outcome] = await store.write([
          { type: "journal", runId, epoch, writes, ...(status !== undefined && { status }) },
        ]);
        if (outcome.status === "committed") {
          settled ||= result !== undefined;
          return { status: "committed" };
        }
        settled = true;
        return {
          status: "fenced",
          reason: outcome.status === "fenced" ? outcome.reason : "the run is not there any more",
        };
      } catch (thrown) {
        failure ??= errorMessage(thrown);
        throw thrown;
      }
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
