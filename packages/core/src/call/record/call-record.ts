import type { JsonObject } from "../../base/json.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice, ReviewOutcome } from "../../policy/review.ts";
import type { Annotation } from "../../model/annotation.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { VariableDigests } from "../../variables/variable.ts";
import type { CallStatus } from "./call-status.ts";
import type { CallTokens } from "../../tool/tool-result.ts";
import type { FoundOutcome } from "./found-outcome.ts";
import type { Quarantine } from "./call-outcome.ts";

/** The side that runs a call. A client's calls are announced, and wait for its output. */
export type CallOwner = "server" | "client";

/** The decision whether a call may run, and its source. */
export interface CallDecision {
  readonly verdict: "allowed" | "refused";
  /** `rule` is the administrator's, `override` the user's own. */
  readonly by: "tool" | "rule" | "override" | "grant" | "person" | "request" | "system";
  readonly reason?: string;
}

/** An attempt that failed and was followed by another. */
export interface CallRetry {
  /** The time of the failure, in ms since the epoch. */
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** Ms until the next attempt. */
  readonly delayMs: number;
}

/** The stored part of a settled call's result; the variable has its value. */
export interface CallResult {
  readonly finalText: string;
  readonly isTruncated: boolean;
  readonly tokens: CallTokens;
  readonly durationMs: number;
  /** The first characters of the result, for the log. */
  readonly preview: string;
  /** The tool's own short form of the arguments, for the log. */
  readonly argsPreview?: string;
  readonly cacheVarResult?: string;
  readonly cacheVarArgs?: string;
  readonly error?: ToolErrorData;
  readonly rejectReason?: string;
  readonly parts?: readonly ContentPart[];
  /** The sources that the assistant's message cites. */
  readonly annotations?: readonly Annotation[];
}

/**
 * One call's row in the ledger. It is plain JSON, and enough for another process to continue the
 * call.
 */
export interface CallRecord {
  readonly callId: string;
  /** The name as the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly toolId?: string;
  readonly parentCallId?: string;
  /** The id of the call's principal, if it is not the session's. */
  readonly principalId?: string;
  readonly round: number;
  readonly status: CallStatus;
  /** The raw text of the arguments, as the model wrote it. */
  readonly argumentsText: string;
  /**
   * The name of the result's variable, for example `Fetch_3`. Names follow the order of proposal.
   */
  readonly keepAs?: string;
  /** The resolved and validated arguments, which the user is shown and the tool receives. */
  readonly args?: JsonObject;
  /**
   * Digests of the variables that the call reads. An approval covers them, and so does a grant for
   * exactly these arguments and contents.
   */
  readonly variables?: VariableDigests;
  /** The executor's own `limit` argument, removed from the arguments. */
  readonly limit?: number;
  /** Descriptions of the repairs in the arguments. */
  readonly repairs: readonly string[];
  readonly decision?: CallDecision;
  /** The approval request, if there was one; its arguments are `args`. */
  readonly approval?: Omit<ApprovalRequest, "args">;
  /** A user changed the arguments; the result tells the model. */
  readonly edited?: boolean;
  /**
   * The call's output is the assistant's message: its tool is final, and the model itself called
   * it.
   */
  readonly final?: true;
  /** Its tool is hidden: clients of the APIs do not see the call. */
  readonly hidden?: true;
  /** The text that a final call wrote for the user. */
  readonly answer?: string;
  readonly idempotencyKey: string;
  /** Milliseconds since the epoch. */
  readonly proposedAt: number;
  /** The time at which a policy or a user decided whether the call may run. */
  readonly decidedAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly retries?: readonly CallRetry[];
  /**
   * The tool was still running when the call was settled, because it ignored its signal or was slow
   * to stop. Its later actions are unknown, and its return value was ignored.
   */
  readonly leftBehind?: true;
  /** Present if a user had to review the result first. */
  readonly review?: ReviewNotice;
  /**
   * The result while it waits for its review; only the reviewer may read it. Removed when the call
   * is settled.
   */
  readonly quarantine?: Quarantine;
  readonly reviewed?: ReviewOutcome;
  readonly result?: CallResult;
  /** For an `outcome_unknown` call: the outcome that a user reported later. */
  readonly found?: FoundOutcome;
}
