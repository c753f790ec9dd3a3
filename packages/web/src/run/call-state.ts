import type {
  ApprovalRequest,
  Arguments,
  CallDecision,
  CallResult,
  Progress,
  ReviewNotice,
  ReviewOutcome,
  RunEventOf,
  SettledStatus,
} from "./run-event.ts";

/**
 * `writing`: the model is still writing the arguments. `asking`: it waits for approval. `answered`:
 * the user answered, and the server has not continued yet. `client`: a client must run it.
 * `reviewing`: it ran, and its result waits for review.
 */
export type CallPhase =
  | "writing"
  | "proposed"
  | "asking"
  | "answered"
  | "client"
  | "running"
  | "reviewing"
  | "settled";

/** Output of a running tool; `text` has only the end of a long output. */
export interface CallOutput {
  readonly id: string;
  readonly text: string;
}

export interface CallNote {
  readonly name: string;
  readonly data: RunEventOf<"call.event">["data"];
}

/** The state of a call, as the page shows it. */
export interface CallState {
  readonly callId: string;
  readonly name: string;
  readonly groupTitle: string | null;
  readonly parentCallId: string | null;
  /** IDs of the calls that this call made. */
  readonly children: readonly string[];
  readonly phase: CallPhase;
  readonly argumentsText: string;
  readonly args: Arguments | null;
  readonly repairs: readonly string[];
  readonly startedAt: number | null;
  readonly approval: ApprovalRequest | null;
  readonly decision: CallDecision | null;
  /** The user edited the arguments. */
  readonly edited: boolean;
  readonly review: ReviewNotice | null;
  readonly reviewed: ReviewOutcome | null;
  readonly outputs: readonly CallOutput[];
  readonly notes: readonly CallNote[];
  readonly progress: Progress | null;
  readonly status: SettledStatus | null;
  readonly result: CallResult | null;
}

export function newCall(callId: string, name: string): CallState {
  return {
    callId,
    name,
    groupTitle: null,
    parentCallId: null,
    children: [],
    phase: "proposed",
    argumentsText: "",
    args: null,
    repairs: [],
    startedAt: null,
    approval: null,
    decision: null,
    edited: false,
    review: null,
    reviewed: null,
    outputs: [],
    notes: [],
    progress: null,
    status: null,
    result: null,
  };
}
