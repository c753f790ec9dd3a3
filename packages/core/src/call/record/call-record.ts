import type { JsonObject } from "../../base/json.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice, ReviewOutcome } from "../../policy/review.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { VariableDigests } from "../../variables/variable.ts";
import type { CallStatus } from "./call-status.ts";
import type { CallTokens } from "../../tool/tool-result.ts";
import type { FoundOutcome } from "./found-outcome.ts";
import type { Quarantine } from "./call-outcome.ts";

/** Who runs a call. A client's calls are announced and wait. */
export type CallOwner = "server" | "client";

/** Who decided that a call may run, or may not. */
export interface CallDecision {
  readonly verdict: "allowed" | "refused";
  /** `rule` is the administrator's, `override` the user's own. */
  readonly by: "tool" | "rule" | "override" | "grant" | "person" | "request" | "system";
  readonly reason?: string;
}

/** A try that failed and was followed by another. */
export interface CallRetry {
  /** When it failed; ms since the epoch. */
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** Ms until the next try. */
  readonly delayMs: number;
}

/** What is kept of a settled call; its value is in the variable. */
export interface CallResult {
  readonly finalText: string;
  readonly isTruncated: boolean;
  readonly tokens: CallTokens;
  readonly durationMs: number;
  /** The first characters of the result, for the log. */
  readonly preview: string;
  /** The arguments in the tool's own short words, for the log. */
  readonly argsPreview?: string;
  readonly cacheVarResult?: string;
  readonly cacheVarArgs?: string;
  readonly error?: ToolErrorData;
  readonly rejectReason?: string;
  readonly parts?: readonly ContentPart[];
}

/** One call's row in the ledger: plain JSON, enough for another process to carry it on. */
export interface CallRecord {
  readonly callId: string;
  /** As the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly toolId?: string;
  readonly parentCallId?: string;
  /** For whom it is made, where that is not the session's own principal. */
  readonly principalId?: string;
  readonly round: number;
  readonly status: CallStatus;
  /** The raw text of the arguments, as the model wrote it. */
  readonly argumentsText: string;
  /** The name that its result will have, given in the order of proposal: `Fetch_3`. */
  readonly keepAs?: string;
  /** Resolved and validated: what a person is shown, and what runs. */
  readonly args?: JsonObject;
  /** Digests of the variables that it reads: an approval, or a grant for exactly these arguments, covers them. */
  readonly variables?: VariableDigests;
  /** The executor's own `limit`, taken out of the arguments. */
  readonly limit?: number;
  /** What was repaired in the arguments, in words. */
  readonly repairs: readonly string[];
  readonly decision?: CallDecision;
  /** The question to a person, once it was asked; its arguments are `args`. */
  readonly approval?: Omit<ApprovalRequest, "args">;
  /** A person changed the arguments; the model is told. */
  readonly edited?: boolean;
  /** What it says is the assistant's message: its tool is final, and the model itself called it. */
  readonly final?: true;
  /** What a final call said to the reader. */
  readonly answer?: string;
  readonly idempotencyKey: string;
  /** Milliseconds since the epoch. */
  readonly proposedAt: number;
  /** When it was decided whether it may run, by policy or by a person. */
  readonly decidedAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly retries?: readonly CallRetry[];
  /**
   * The tool had not ended when the call was settled: it did not heed its signal, or not at once.
   * What it did afterwards is not known; what it returned was ignored.
   */
  readonly leftBehind?: true;
  /** A person had to see the result first. */
  readonly review?: ReviewNotice;
  /** The result while it waits for that person: nobody else may read it. Gone once the call is settled. */
  readonly quarantine?: Quarantine;
  readonly reviewed?: ReviewOutcome;
  readonly result?: CallResult;
  /** Of an `outcome_unknown` call: what a person found out since. */
  readonly found?: FoundOutcome;
}
