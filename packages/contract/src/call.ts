import type { CallRecord } from "@capstan/core";

/** `GET /v1/runs/{id}/calls`: what a call was, and what became of it. Times are ms since the epoch. */
export interface CallView extends Omit<CallRecord, "callId" | "quarantine"> {
  /** As the model gave it. */
  readonly id: string;
  readonly object: "call";
  readonly run: string;
  readonly updated_at: number;
}

/**
 * `POST /v1/runs/{id}/calls/{callId}/outcome`: a person's word on a call that is `outcome_unknown`.
 * The first one counts. One that is to run again does so when its run is retried.
 */
export interface CallOutcomeBody {
  readonly outcome: "happened" | "did_not_happen" | "run_again";
  readonly note?: string;
}

/** `POST /v1/runs/{id}/submit_tool_outputs`: some or all of what its client's calls are waited for. */
export interface ToolOutputsBody {
  readonly tool_outputs: readonly { readonly tool_call_id: string; readonly output: string }[];
}
