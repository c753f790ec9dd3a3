import type { ToolErrorData } from "../base/errors.ts";
import type { RequireApproval, RequireApprovalOf } from "../policy/decide.ts";
import type { Caller } from "../tool/caller.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import type {
  CallHost,
  PendingRequest,
  CallOutputEvent,
  ApprovedProposal,
} from "./gate/call-host.ts";
import type { Gate } from "./gate/gate.ts";
import type { CallRequest } from "./propose/propose.ts";
import type { CallStatus } from "./record/call-status.ts";
import type { SettledCall } from "./record/call-outcome.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import type { ParentCall } from "./sub-call.ts";

export interface CallSetup {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly host: CallHost;
  readonly caller: Caller;
  /** The approvals that the request requires, of sub-calls too. */
  readonly requireApproval?: RequireApproval | RequireApprovalOf | undefined;
  /** What the request offers: sub-calls reach nothing else. @default all tools that are on */
  readonly offer?: (() => ToolOffer) | undefined;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
  /** The running call that makes this one. */
  readonly parent?: ParentCall | undefined;
}

/** Where a call begins. All but `propose` also begin from stored records. */
export type CallEntry =
  /** `refusal`: the error with which it ends once it is proposed. */
  | {
      readonly at: "propose";
      readonly request: CallRequest;
      readonly refusal?: ToolErrorData | undefined;
    }
  | { readonly at: "ask"; readonly pending: PendingRequest }
  /** Is suspended: it was asked for an answer earlier, and continues with `answer`. */
  | { readonly at: "suspended"; readonly pending: PendingRequest }
  /** Is approved, and runs when it gets its locks. */
  | { readonly at: "run"; readonly approved: ApprovedProposal };

/** How a call came to rest. Only a suspended call can continue. */
export type CallEnd =
  | SettledCall
  | { readonly status: "suspended"; readonly pending: PendingRequest }
  /** The host failed to store a step. */
  | { readonly status: "broken"; readonly thrown: unknown };

export type CallState = Extract<
  CallStatus,
  "proposed" | "waiting" | "approved" | "started" | "in_review"
>;

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
