import type { CallObserver } from "./call-observer.ts";
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
  /** Told of what the call does while it runs. */
  readonly observer?: Partial<CallObserver>;
}
