import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../policy/approval.ts";
import type { ReviewAnswer, ReviewDecision, ReviewRequest } from "../policy/review.ts";
import type { CallHost, CallOutputEvent } from "./gate/call-host.ts";
import type { Ledger } from "./record/ledger.ts";

export interface LedgerHostOptions {
  readonly ledger: Ledger | undefined;
  readonly ask: (approval: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
  readonly review: (request: ReviewRequest, signal: AbortSignal) => Promise<ReviewAnswer>;
  readonly onOutput?: ((callId: string, output: CallOutputEvent) => void) | undefined;
}

/** Hosts the calls that an executor makes itself: stores them in its ledger, and asks its approval adapter. */
export function ledgerHost({ ledger, ask, review, onOutput }: LedgerHostOptions): CallHost {
  return {
    commit({ record }) {
      const written = ledger?.record(record);
      return written instanceof Promise ? written.then(() => true) : true;
    },
    async request(pending, _call, signal) {
      if (pending.kind === "output") return "later";
      const answer =
        pending.kind === "approval"
          ? await ask(pending.approval, signal)
          : await review(pending.request, signal);
      if (answer.decision !== "pending") return answer;
      // Nothing outside the process knows of a sub-call that waits: it is never answered later.
      if (pending.record.parentCallId === undefined) return "later";
      return pending.kind === "approval" ? noApproval : noReview;
    },
    onOutput: onOutput ?? (() => {}),
  };
}

const noApproval: ApprovalDecision = {
  decision: "refuse",
  by: "system",
  reason: "it needs an approval that is not here yet",
};

const noReview: ReviewDecision = {
  decision: "withhold",
  by: "system",
  reason: "a person must see it first, and that takes longer than the call that made it can wait",
};
