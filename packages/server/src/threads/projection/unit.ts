import type { JsonObject, Usage } from "@capstan/core";

/** An event of a stream of the Assistants API: its name, and its data. */
export interface ThreadEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** The ids that the objects of a run name. */
export interface RunIdentity {
  /** `run_…` */
  readonly runId: string;
  /** `thread_…` */
  readonly threadId: string;
  readonly assistantId: string;
}

/** How a step ended. */
export type StepEnd = "completed" | "failed" | "cancelled" | "expired";

/** The end of a unit: its reason and its time. */
export interface UnitEnd {
  readonly status: StepEnd;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason?: IncompleteReason | undefined;
  readonly usage?: Usage | undefined;
  /** The error of a failed step. */
  readonly message?: string | undefined;
}

/** Why a message is not complete. */
export type IncompleteReason =
  | "content_filter"
  | "max_tokens"
  | "run_cancelled"
  | "run_expired"
  | "run_failed";

/**
 * A step of a run, with the message that it creates, if it creates one. Clients accept only one
 * open step at a time, so a step is sent after the one before it has ended. Until then its changes
 * are buffered.
 */
export interface Unit {
  /** Whether it has content. A unit without content is never shown. */
  readonly isSilent: () => boolean;
  /** Returns the events that begin the step. */
  readonly open: () => readonly ThreadEvent[];
  /** Returns the changes since the last call, as deltas. */
  readonly takeDeltas: () => readonly ThreadEvent[];
  /** Returns the events that end the step. */
  readonly close: (end: UnitEnd) => readonly ThreadEvent[];
  /** Returns the step as GET shows it. `end` is absent while it is in progress. */
  readonly step: (end: UnitEnd | undefined) => JsonObject & { readonly id: string };
  /** Returns the message that the step creates. */
  readonly message: (
    end: UnitEnd | undefined,
  ) => (JsonObject & { readonly id: string }) | undefined;
}

/** Returns seconds since the epoch, or null for no time. */
export function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1_000);
}

/** Returns token counts in the API's form. */
export function wireUsage(usage: Usage | undefined): JsonObject | null {
  if (usage === undefined) return null;
  const { inputTokens, outputTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

interface StepParts {
  readonly id: string;
  readonly createdAt: number;
  readonly type: "message_creation" | "tool_calls";
  readonly details: JsonObject;
}

/** Returns a step of a run as the API shows it. */
export function stepView(
  { runId, threadId, assistantId }: RunIdentity,
  { id, createdAt, type, details }: StepParts,
  end: UnitEnd | undefined,
): JsonObject & { readonly id: string } {
  const endedAs = (status: StepEnd) => seconds(end?.status === status ? end.at : undefined);
  return {
    id,
    object: "thread.run.step",
    created_at: seconds(createdAt),
    run_id: runId,
    assistant_id: assistantId,
    thread_id: threadId,
    type,
    status: end?.status ?? "in_progress",
    cancelled_at: endedAs("cancelled"),
    completed_at: endedAs("completed"),
    expired_at: endedAs("expired"),
    failed_at: endedAs("failed"),
    last_error:
      end?.status === "failed"
        ? { code: "server_error", message: end.message ?? "The run failed." }
        : null,
    step_details: details,
    usage: wireUsage(end?.usage),
    metadata: {},
  };
}
