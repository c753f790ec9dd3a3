import type { ApprovalRequest } from "@capstan/core";
import type { ReviewNotice } from "@capstan/core/host";
import { idKey } from "../../sql/id-key.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Inserts an approval request. A request that exists already keeps its state. */
export function insertApproval(
  { changes }: WriteContext,
  run: RunState,
  approval:
    | { readonly kind: "execution"; readonly request: ApprovalRequest }
    | { readonly kind: "result"; readonly request: ReviewNotice },
): void {
  const { kind, request } = approval;
  changes.insert("approvals", {
    id: request.id,
    owner: run.owner,
    run_n: run.n,
    call_id: idKey(request.callId),
    kind,
    status: "pending",
    created_at: request.createdAt,
    expires_at: request.expiresAt,
    request: JSON.stringify(request),
  });
}
