import type { ApprovalRequest } from "../../policy/approval.ts";
import type { Grant } from "../../policy/grant.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { PendingRequest } from "./call-host.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { SettledCall } from "../record/settled-call.ts";

/** The result of the first segment. `record` is stored, and its arguments run. */
export type Proposal =
  | ApprovedProposal
  | {
      readonly status: "asks";
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
      readonly approval: ApprovalRequest;
    }
  | SettledCall;

/** A proposal that may run. */
export interface ApprovedProposal {
  readonly status: "approved";
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
}

/** A proposal that needs a person's approval. */
export type AskingProposal = Extract<Proposal, { readonly status: "asks" }>;

/** A proposal after a person answered its approval request. */
export interface AnsweredProposal {
  readonly proposal: Exclude<Proposal, AskingProposal>;
  /** The grant that the answer creates; the gate's book already holds it. */
  readonly grant?: Grant;
}

/** The pending request of a proposal that needs an approval. */
export function approvalRequest({ record, registered, approval }: AskingProposal): PendingRequest {
  return { kind: "approval", id: approval.id, record, registered, approval };
}
