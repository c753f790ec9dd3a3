import type { JsonValue } from "../../base/json.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewAnswer } from "../../policy/review.ts";
import type { Progress } from "../../tool/tool-context.ts";
import type { AnsweredProposal, Proposal } from "./proposal.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { CallInReview, SettledCall } from "../record/settled-call.ts";

/** Records the steps of a call. Each method is called before the next step begins. */
export interface CallObserver {
  proposed(proposal: Proposal): unknown;
  /** False: this process may not go on; the tool is not touched. */
  started(record: CallRecord): boolean | Promise<boolean>;
  /**
   * A person must see the result first; the record has it in quarantine. `pending` suspends the call:
   * whoever is told settles it later. The parent of a sub-call waits: there `pending` withholds.
   * The signal aborts where the answer is not wanted any more.
   */
  review(call: CallInReview, signal: AbortSignal): ReviewAnswer | Promise<ReviewAnswer>;
  settled(settled: SettledCall): unknown;
  onText(callId: string, text: string): void;
  onProgress(callId: string, progress: Progress): void;
  onEvent(callId: string, name: string, data: JsonValue): void;
  /** A sub-call's question was answered; what the answer leaves behind is to be kept. */
  answered(answered: AnsweredProposal, approval: ApprovalRequest): void | Promise<void>;
  /** A sub-call must ask; its parent waits for the answer, until the signal aborts. */
  ask(approval: ApprovalRequest, signal: AbortSignal): ApprovalDecision | Promise<ApprovalDecision>;
}
