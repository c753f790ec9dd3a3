import type { ActiveCall } from "./gate/active-call.ts";
import type { RequireApproval, RequireApprovalOf } from "../policy/decide.ts";
import type { Caller } from "../tool/caller.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { CallObserver } from "./gate/call-observer.ts";
import type { CallRecord } from "./record/call-record.ts";
import type { Gate } from "./gate/gate.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { SettleOutcome } from "./record/settled-call.ts";
import type { Ticket } from "./schedule/ticket.ts";

/** Values that a sub-call inherits from its parent. */
export interface ParentContext {
  readonly depth: number;
  /** The parent's ticket: a sub-call may use the locks that its parent holds. */
  readonly ticket: Ticket;
  /** Pauses the deadlines of the parent and its ancestors until `wait` has resolved. */
  withDeadlinesPaused<T>(wait: () => Promise<T>): Promise<T>;
}

/** The context of a sub-call that has started. */
export interface SubCallContext extends ParentContext {
  /** Runs `wait`, in which this call waits for a person. Until then its ancestors hold no locks, and their deadlines are paused. */
  whileSuspended<T>(wait: () => Promise<T>): Promise<T>;
}

export interface CallHandle extends ActiveCall {
  /** `in_review`: the call is suspended, and its observer settles it once a person has seen its result. */
  readonly settled: Promise<SettleOutcome>;
}

/** The end of a driven call. `broken`: its observer failed to record it, so it goes no further. */
export type CallDriverEnd = SettleOutcome | { readonly status: "broken"; readonly thrown: unknown };

export interface CallDriverOptions {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly observer: CallObserver;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
  /** The approvals that the request requires, of sub-calls too. */
  readonly requireApproval?: RequireApproval | RequireApprovalOf | undefined;
  /** @default the session's */
  readonly caller?: Caller | undefined;
  readonly parentContext?: SubCallContext;
}
