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

/** The environment of a call: its gate, scheduler, host and options. */
export interface CallSetup {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly host: CallHost;
  readonly caller: Caller;
  /** The approvals that the request requires, also for sub-calls. */
  readonly requireApproval?: RequireApproval | RequireApprovalOf | undefined;
  /**
   * The tools that the request offers. Sub-calls can call only these. @default all enabled tools
   */
  readonly offer?: (() => ToolOffer) | undefined;
  /** False overrides the tool's own request for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
  /** The running call that makes this call. */
  readonly parent?: ParentCall | undefined;
}

/** The state in which a call begins. All states except `propose` come from stored records. */
export type CallEntry =
  /** `refusal`: the error with which the call ends when it is proposed. */
  | {
      readonly at: "propose";
      readonly request: CallRequest;
      readonly refusal?: ToolErrorData | undefined;
    }
  | { readonly at: "ask"; readonly pending: PendingRequest }
  /**
   * The call is suspended: an answer was requested earlier, and the call continues with `answer`.
   */
  | { readonly at: "suspended"; readonly pending: PendingRequest }
  /** The call is approved, and runs when it gets its locks. */
  | { readonly at: "run"; readonly approved: ApprovedProposal };

/** How a call ended or was suspended. Only a suspended call can continue. */
export type CallEnd =
  | SettledCall
  | { readonly status: "suspended"; readonly pending: PendingRequest }
  /** The host failed to store a step. */
  | { readonly status: "broken"; readonly thrown: unknown };

/** The states of a call that has not ended. */
export type CallState = Extract<
  CallStatus,
  "proposed" | "waiting" | "approved" | "started" | "in_review"
>;

/** The options of `ToolExecutor.execute`. */
export interface ExecuteOptions {
  /** @default a new id */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  readonly requireApproval?: RequireApproval;
  /** False overrides the tool's own request for a review, never a rule. @default true */
  readonly checkToolResults?: boolean;
  /**
   * The caller of only this call: its user, request context and files. @default the executor's own
   */
  readonly caller?: Partial<Caller>;
  /** Receives the output and progress of the running tool and of its sub-calls. */
  readonly onOutput?: (callId: string, output: CallOutputEvent) => void;
}
