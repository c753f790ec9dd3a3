import type { CallObserver } from "./gate/call-observer.ts";
import type { Ledger } from "./record/ledger.ts";
import type { ToolExecutor } from "./tool-executor.ts";

/** Records the calls that an executor makes itself in its ledger, and asks its approval adapter. */
export function ledgerObserver(
  executor: Pick<ToolExecutor, "gate" | "ask" | "review">,
): CallObserver {
  const { ledger } = executor.gate;
  return {
    ...(ledger === undefined ? unrecorded : recordedIn(ledger)),
    review: async ({ record, request }, stop) => {
      await ledger?.record(record);
      return executor.review(request, stop);
    },
    onText: () => {},
    onProgress: () => {},
    onEvent: () => {},
    ask: async (approval, stop) => {
      const word = await executor.ask(approval, stop);
      return word.decision === "pending"
        ? { decision: "refuse", by: "system", reason: "it needs an approval that is not here yet" }
        : word;
    },
  };
}

type Recorded = Pick<CallObserver, "proposed" | "started" | "settled" | "answered">;

const unrecorded: Recorded = { proposed() {}, started: () => true, settled() {}, answered() {} };

function recordedIn(ledger: Ledger): Recorded {
  return {
    // What is settled as it is proposed is written once.
    proposed: ({ status, record }) => (status === "settled" ? undefined : ledger.record(record)),
    started(record) {
      const written = ledger.record(record);
      return written instanceof Promise ? written.then(() => true) : true;
    },
    settled: ({ record }) => ledger.record(record),
    answered: ({ proposal: { status, record } }) =>
      status === "settled" ? undefined : ledger.record(record),
  };
}
