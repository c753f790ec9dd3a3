import type { ApprovalRequest } from "../../policy/approval.ts";
import type { Grant } from "../../policy/grant.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { SettledCall } from "../record/settled-call.ts";

/** The result of the first segment. `record` is stored, and its arguments run. */
export type Proposal =
  | {
      readonly status: "approved";
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
    }
  | {
      readonly status: "asks";
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
      readonly approval: ApprovalRequest;
    }
  | SettledCall;

/** A proposal that needs a person's approval. */
export type AskingProposal = Extract<Proposal, { readonly status: "asks" }>;

/** A proposal after a person answered its approval request. */
export interface AnsweredProposal {
  readonly proposal: Exclude<Proposal, AskingProposal>;
  /** The grant that the answer creates; the gate's book already holds it. */
  readonly grant?: Grant;
}
