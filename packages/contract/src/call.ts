import type { CallRecord } from "@capstan/core";

/** `GET /v1/runs/{id}/calls`: a call and its outcome. Times are ms since the epoch. */
export interface CallView extends Omit<CallRecord, "callId" | "quarantine"> {
  /** The call's id from the model. */
  readonly id: string;
  readonly object: "call";
  readonly run: string;
  readonly updated_at: number;
}

/**
 * `POST /v1/runs/{id}/calls/{callId}/outcome`: the user's decision about a call with the state
 * `outcome_unknown`. The first decision counts. With `run_again`, the call runs when its run is
 * retried.
 */
export interface CallOutcomeBody {
  readonly outcome: "happened" | "did_not_happen" | "run_again";
  readonly note?: string;
}

/** `POST /v1/runs/{id}/submit_tool_outputs`: some or all outputs of the client's open calls. */
export interface ToolOutputsBody {
  readonly tool_outputs: readonly { readonly tool_call_id: string; readonly output: string }[];
}
