import type { ApprovalRequest, ChainError } from "@capstan/core";
import type { RunEvent } from "@capstan/contract";
import { followEvents, type RunRecord, type Store } from "@capstan/store";

type Progress = Extract<RunEvent, { type: "call.progress" }>["progress"];

type Settled = Extract<RunEvent, { type: "call.settled" }>;

/** The state of a call's run when its follower stops. */
export type CallState =
  | { readonly status: "settled"; readonly call: Settled }
  /** The run has ended without a result of the call. */
  | { readonly status: "failed"; readonly error: ChainError | undefined }
  | { readonly status: "waits"; readonly approvalIds: readonly string[] }
  | { readonly status: "runs" };

/** The listener of a follower. */
export interface CallListener {
  /** Called when the call reports progress. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called when a call of the run needs an approval, and again if the run is followed again. */
  readonly onApproval?: (approval: ApprovalRequest) => void;
  /** Called when an approval request was answered. */
  readonly onAnswer?: (approvalId: string) => void;
}

/**
 * Follows a run with one call until it has ended, or until the signal aborts.
 *
 * @param until aborts when the client has waited long enough, or has disconnected
 */
export async function followCall(
  { store, run }: { readonly store: Store; readonly run: Pick<RunRecord, "id" | "owner"> },
  until: AbortSignal,
  { onProgress, onApproval, onAnswer }: CallListener = {},
): Promise<CallState> {
  const { owner, id: runId } = run;
  const open = new Map<string, ApprovalRequest | undefined>();
  let main: string | undefined;
  let call: Settled | undefined;
  let error: ChainError | undefined;
  let hasEnded = false;
  for await (const event of followEvents({ store, owner, runId, signal: until })) {
    switch (event.type) {
      case "call.proposed":
        if (event.parentCallId === undefined) main ??= event.callId;
        break;
      case "call.progress":
        onProgress?.(event.progress);
        break;
      case "approval.requested":
        open.set(event.approval.id, event.approval);
        onApproval?.(event.approval);
        break;
      case "approval.answered":
        open.delete(event.approvalId);
        onAnswer?.(event.approvalId);
        break;
      case "review.requested":
        open.set(event.review.id, undefined);
        break;
      case "review.answered":
        open.delete(event.reviewId);
        break;
      case "call.settled":
        if (event.callId === main) call = event;
        break;
      case "chain.ended":
        hasEnded = true;
        error = event.error;
        break;
      default:
    }
  }
  if (call !== undefined && hasEnded) return { status: "settled", call };
  const isOver = hasEnded || !until.aborted;
  if (isOver) return { status: "failed", error };
  return open.size > 0 ? { status: "waits", approvalIds: [...open.keys()] } : { status: "runs" };
}
