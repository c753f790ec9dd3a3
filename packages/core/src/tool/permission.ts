import type { ToolArgs } from "./tool.ts";

export type ExecutionDecision = "auto" | "ask-once" | "ask-always" | "deny";
/** Whether a call may run. Nothing said means `ask-once`. */
export type ExecutionPolicy = ExecutionDecision | ((args: ToolArgs) => ExecutionDecision);
/** Whether a person sees a result before the model does. */
export type ResultApprovalPolicy = "never" | "on-error" | "always";
