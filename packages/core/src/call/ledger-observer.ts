import type { ApprovalAnswer, ApprovalRequest } from "../policy/approval.ts";
import type { ReviewAnswer, ReviewRequest } from "../policy/review.ts";
import type { CallObserver } from "./gate/call-observer.ts";
import type { Ledger } from "./record/ledger.ts";

export interface LedgerObserverOptions {
  readonly ledger: Ledger | undefined;
  ask(approval: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  review(request: ReviewRequest, signal: AbortSignal): Promise<ReviewAnswer>;
}

/** Records the calls that an executor makes itself in its ledger, and asks its approval adapter. */
export function ledgerObserver(options: LedgerObserverOptions): CallObserver {
  const { ledger } = options;
  return {
    ...(ledger === undefined ? unrecorded : recordedIn(ledger)),
    review: async ({ record, request }, stop) => {
      await ledger?.record(record);
      return options.review(request, stop);
    },
    onText: () => {},
    onProgress: () => {},
    onEvent: () => {},
    ask: async (approval, stop) => {
      const response = await options.ask(approval, stop);
      return response.decision === "pending"
        ? { decision: "refuse", by: "system", reason: "it needs an approval that is not here yet" }
        : response;
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
