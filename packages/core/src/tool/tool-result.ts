import type { ResultStatus } from "../call/record/call-status.ts";
import type { ToolExecuteResult } from "../call/record/tool-execute-result.ts";

export type SettledToolResult = Exclude<ToolExecuteResult, { readonly status: "pending" }>;

/** Tokens of a call, as the gate's counter counts them. */
export interface CallTokens {
  /** The tool's definition, which every request carries; 0 for a client's own tool. */
  readonly definition: number;
  /** The arguments, as the model wrote them. */
  readonly arguments: number;
  /** What the model was shown of the result. */
  readonly shown: number;
  /** What was kept from it: as a variable, or by a person. */
  readonly withheld: number;
}

export type SettledStatus = Exclude<ResultStatus, "pending">;
