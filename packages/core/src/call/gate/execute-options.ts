import type { CallOutputEvent } from "./call-host.ts";
import type { Caller } from "../../tool/caller.ts";
import type { RequireApproval } from "../../policy/decide.ts";

export interface ExecuteOptions {
  /** @default a new id */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  readonly requireApproval?: RequireApproval;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean;
  /** For whom and with what this call is made; no other call sees it. @default the executor's own */
  readonly caller?: Partial<Caller>;
  /** Receives what the tool writes and reports while it runs, and what its sub-calls do. */
  readonly onOutput?: (callId: string, output: CallOutputEvent) => void;
}
