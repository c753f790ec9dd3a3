import type { ChainError, ChainEvent, ChainStats, Usage } from "@capstan/core";

/**
 * The status of a run. A run in `requires_action` is suspended until a user or a client answers.
 * The last five are final.
 */
export type RunStatus =
  | "queued"
  | "in_progress"
  | "requires_action"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled"
  | "expired";

/**
 * One numbered event of a run, as `GET /v1/runs/{id}/events` streams it, without gaps and
 * duplicates.
 */
export type RunEvent = { readonly seq: number } & (ChainEvent | RunNotice);

/** The server's own events in a run's stream. */
export type RunNotice =
  /** Has a sequence number, and changes nothing. */
  | { readonly type: "run.heartbeat"; readonly at: number }
  /**
   * The run's process died or lost its lease. The server writes this when the run is claimed again
   * or queued for a claim.
   */
  | { readonly type: "run.orphaned"; readonly at: number }
  /** The server stopped during the run; the run's open items have ended. */
  | { readonly type: "run.interrupted"; readonly at: number; readonly message: string };

/** `GET /v1/runs/{id}`. The id is that of the response. Times are ms since the epoch. */
export interface RunView {
  readonly id: string;
  readonly object: "run";
  readonly conversation: string | null;
  readonly previous: string | null;
  readonly status: RunStatus;
  /** The answers that the run waits for in `requires_action`; otherwise empty. */
  readonly waiting: readonly AwaitedView[];
  readonly model: string;
  /**
   * The user's input as Responses items. Images and files of more than 32 KiB are references. A
   * long input has only its last items here, with truncated texts.
   */
  readonly input: readonly unknown[];
  /** Whether `input` is truncated. `GET /v1/responses/{id}/input_items` returns all of it. */
  readonly input_cut: boolean;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly error: ChainError | null;
  readonly usage: Usage | null;
  readonly stats: ChainStats | null;
  /** The sequence number of the last stored event. */
  readonly last_seq: number;
  /** The input is messages of both sides that were added to the conversation. No model was asked. */
  readonly added?: true;
}

/** An answer that a run waits for. Answer an `approval` with `POST /v1/approvals/{approval}`. */
export type AwaitedView =
  | { readonly type: "approval" | "review"; readonly call: string; readonly approval: string }
  /** A call that the client runs. Send its output to `POST /v1/runs/{id}/submit_tool_outputs`. */
  | {
      readonly type: "client_call";
      readonly call: string;
      readonly name: string;
      /** The arguments as the model wrote them. */
      readonly arguments: string;
    };

/**
 * A run with its events. The events have no deltas: each `item.end` has its text, and an open item
 * has one delta with its text so far.
 */
export interface RunWithEvents extends RunView {
  readonly events: readonly RunEvent[];
}
