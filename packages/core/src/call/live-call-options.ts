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

/** What a call inherits from the one it was made in. */
export interface Lineage {
  readonly depth: number;
  /** The parent's place in the scheduler: what it holds is passed on, not taken again. */
  readonly ticket: Ticket;
  /** Runs while the ancestors' deadlines stand still. */
  paused<T>(wait: () => Promise<T>): Promise<T>;
}

/** What a sub-call is given besides. */
export interface SubLineage extends Lineage {
  /** Runs while this call waits for a person: its ancestors' deadlines stand still, and they hold nothing. */
  waits<T>(wait: () => Promise<T>): Promise<T>;
}

export interface LiveCall extends ActiveCall {
  /** `in_review`: the call is parked, and its observer settles it once a person has seen its result. */
  readonly settled: Promise<SettleOutcome>;
}

/** How a call went: `broken` where whoever records it failed, so that it goes no further. */
export type CallEnd = SettleOutcome | { readonly status: "broken"; readonly thrown: unknown };

export interface LiveCallOptions {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly observer: CallObserver;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
  /** What the request says of asking: it holds for sub-calls too. */
  readonly requireApproval?: RequireApproval | RequireApprovalOf | undefined;
  /** @default the session's */
  readonly caller?: Caller | undefined;
  readonly lineage?: SubLineage;
}
