import type { ApprovalDecision, JsonObject, PolicyRule, ReviewDecision } from "@capstan/core";
import type { GateLimits } from "@capstan/core/host";

/** A call of a tool. */
export interface CaseCall {
  readonly tool: string;
  /** As an object, or as the text that a model wrote. @default {} */
  readonly args?: JsonObject | string;
}

/** A call through the gate and its expected outcome, as data. */
export interface GateCase extends CaseCall {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Calls that are made before it, through the same gate. */
  readonly before?: readonly CaseCall[];
  /** The user's answer. Without it, approval is denied. */
  readonly answer?: ApprovalDecision | { readonly decision: "pending" };
  readonly review?: ReviewDecision;
  readonly rules?: readonly PolicyRule[];
  readonly limits?: Partial<GateLimits>;
  /** Whether the call is stopped as soon as the tool runs. */
  readonly cancelled?: true;
  readonly expected: Expected;
}

export interface Expected {
  readonly status: string;
  /** The code of the error, or `undefined` if there is none. */
  readonly code?: string;
  /** Texts that the model's result must contain. */
  readonly reads?: readonly string[];
  /** Texts that the model must not read. */
  readonly readsNot?: readonly string[];
  readonly data?: unknown;
  /** The arguments that the tools got, including those of earlier calls and sub-calls. @default not checked */
  readonly ran?: readonly unknown[];
  /** The number of approval requests. @default 0 */
  readonly asked?: number;
}

/** The outcome of a case: plain JSON, so that it can leave a page. */
export interface GateOutcome {
  readonly status: string;
  readonly code?: string;
  readonly text: string;
  readonly data?: unknown;
  readonly ran: readonly unknown[];
  readonly asked: number;
}
