import type { JsonObject } from "@capstan/core";
import {
  type IncompleteReason,
  type RunIdentity,
  seconds,
  stepView,
  type UnitEnd,
} from "./unit.ts";

/** The identity of a message of a run, and of the step that creates it. */
export interface MessageIdentity {
  readonly identity: RunIdentity;
  readonly ids: { readonly step: string; readonly message: string };
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const reasons: { readonly [status in UnitEnd["status"]]: IncompleteReason | undefined } = {
  completed: undefined,
  cancelled: "run_cancelled",
  expired: "run_expired",
  failed: "run_failed",
};

/** Returns a message of a run as the API shows it. */
export function messageView(
  { identity, ids, createdAt }: MessageIdentity,
  content: readonly JsonObject[],
  end: UnitEnd | undefined,
): JsonObject & { readonly id: string } {
  const { runId, threadId, assistantId } = identity;
  const reason = end?.reason ?? (end === undefined ? undefined : reasons[end.status]);
  const isIncomplete = reason !== undefined;
  return {
    id: ids.message,
    object: "thread.message",
    created_at: seconds(createdAt),
    assistant_id: assistantId,
    thread_id: threadId,
    run_id: runId,
    role: "assistant",
    content: [...content],
    attachments: [],
    metadata: {},
    status: end === undefined ? "in_progress" : isIncomplete ? "incomplete" : "completed",
    completed_at: seconds(isIncomplete ? undefined : end?.at),
    incomplete_at: seconds(isIncomplete ? end?.at : undefined),
    incomplete_details: isIncomplete ? { reason } : null,
  };
}

/** Returns the step that creates a message. */
export function messageStep(
  { identity, ids, createdAt }: MessageIdentity,
  end: UnitEnd | undefined,
): JsonObject & { readonly id: string } {
  const details = {
    type: "message_creation",
    message_creation: { message_id: ids.message },
  };
  return stepView(identity, { id: ids.step, createdAt, type: "message_creation", details }, end);
}
