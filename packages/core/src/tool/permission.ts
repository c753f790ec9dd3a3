import type { ArgumentConditions } from "../arguments/argument-conditions.ts";
import type { ToolArgs } from "../base/json.ts";

export type ExecutionDecision = "auto" | "ask-once" | "ask-always" | "deny";
/** Whether a call may run. Nothing said means `ask-once`. */
export type ExecutionPolicy = ExecutionDecision | ((args: ToolArgs) => ExecutionDecision);
/** Whether a person sees a result before the model does. */
export type ResultApprovalPolicy = "never" | "on-error" | "always";

export interface GrantOffer {
  /** Calls that the tool says belong together. Neither this nor `when`: every call of this tool. */
  readonly key?: string;
  /** The same as a pattern, which a person may change. Wins over `key`. */
  readonly when?: ArgumentConditions;
  /** What people read: `FetchWebPage: pages of example.org`. */
  readonly title: string;
}
