import type { JsonObject, PlacedAnnotation } from "@capstan/core";
import {
  type IncompleteReason,
  type RunIdentity,
  seconds,
  stepView,
  type ThreadEvent,
  type Unit,
  type UnitEnd,
} from "./unit.ts";

/** A message that a model or a final tool writes. */
export interface MessageUnit extends Unit {
  readonly type: "message";
  readonly append: (text: string) => void;
  /** Sets the whole text, of which the deltas are a part. */
  readonly finish: (text: string, annotations?: readonly PlacedAnnotation[]) => void;
}

interface MessageOptions {
  readonly identity: RunIdentity;
  readonly ids: { readonly step: string; readonly message: string };
  readonly isRefusal: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Creates a message of a run, and the step that creates it. */
export function createMessageUnit({
  identity,
  ids,
  isRefusal,
  createdAt,
}: MessageOptions): MessageUnit {
  let text = "";
  let sent = 0;
  let annotations: readonly JsonObject[] = [];
  let sentAnnotations = 0;

  const message = (end: UnitEnd | undefined, hasContent = true) => {
    const part = isRefusal
      ? { type: "refusal", refusal: text }
      : { type: "text", text: { value: text, annotations: [...annotations] } };
    const reason = end?.reason ?? (end === undefined ? undefined : reasons[end.status]);
    const isIncomplete = reason !== undefined;
    return messageView(
      { ...identity, id: ids.message, createdAt },
      {
        content: hasContent ? [part] : [],
        status: end === undefined ? "in_progress" : isIncomplete ? "incomplete" : "completed",
        completedAt: isIncomplete ? undefined : end?.at,
        incompleteAt: isIncomplete ? end?.at : undefined,
        reason,
      },
    );
  };
  const step = (end: UnitEnd | undefined) =>
    stepView(
      identity,
      {
        id: ids.step,
        createdAt,
        type: "message_creation",
        details: { type: "message_creation", message_creation: { message_id: ids.message } },
      },
      end,
    );
  const delta = (part: JsonObject): ThreadEvent => ({
    event: "thread.message.delta",
    data: {
      id: ids.message,
      object: "thread.message.delta",
      delta: { content: [{ index: 0, ...part }] },
    },
  });

  return {
    type: "message",
    append(more) {
      text += more;
    },
    finish(whole, cited = []) {
      // Sent text cannot be changed: the closing event has the whole one.
      if (!whole.startsWith(text.slice(0, sent))) sent = whole.length;
      text = whole;
      annotations = cited.map((each) => wireAnnotation(each, text));
    },
    isSilent: () => text === "",
    open: () => [
      { event: "thread.run.step.created", data: step(undefined) },
      { event: "thread.run.step.in_progress", data: step(undefined) },
      { event: "thread.message.created", data: message(undefined, false) },
      { event: "thread.message.in_progress", data: message(undefined, false) },
    ],
    takeDeltas() {
      const events: ThreadEvent[] = [];
      if (text.length > sent) {
        const value = text.slice(sent);
        const first = sent === 0 ? { annotations: [] } : {};
        events.push(
          isRefusal
            ? delta({ type: "refusal", refusal: value })
            : delta({ type: "text", text: { value, ...first } }),
        );
        sent = text.length;
      }
      const fresh = annotations.slice(sentAnnotations);
      if (fresh.length > 0 && !isRefusal) {
        const indexed = fresh.map((each, n) => ({ index: sentAnnotations + n, ...each }));
        events.push(delta({ type: "text", text: { annotations: indexed } }));
        sentAnnotations = annotations.length;
      }
      return events;
    },
    close: (end) => {
      const whole = message(end);
      return [
        {
          event:
            whole["status"] === "completed"
              ? "thread.message.completed"
              : "thread.message.incomplete",
          data: whole,
        },
        { event: `thread.run.step.${end.status}`, data: step(end) },
      ];
    },
    step,
    message,
  };
}

const reasons: { readonly [status in UnitEnd["status"]]: IncompleteReason | undefined } = {
  completed: undefined,
  cancelled: "run_cancelled",
  expired: "run_expired",
  failed: "run_failed",
};

/** Returns a message of an assistant as the API shows it. */
function messageView(
  {
    id,
    runId,
    threadId,
    assistantId,
    createdAt,
  }: RunIdentity & {
    readonly id: string;
    readonly createdAt: number;
  },
  state: {
    readonly content: readonly JsonObject[];
    readonly status: "in_progress" | "completed" | "incomplete";
    readonly completedAt: number | undefined;
    readonly incompleteAt: number | undefined;
    readonly reason: IncompleteReason | undefined;
  },
): JsonObject & { readonly id: string } {
  return {
    id,
    object: "thread.message",
    created_at: seconds(createdAt),
    assistant_id: assistantId,
    thread_id: threadId,
    run_id: runId,
    role: "assistant",
    content: [...state.content],
    attachments: [],
    metadata: {},
    status: state.status,
    completed_at: seconds(state.completedAt),
    incomplete_at: seconds(state.incompleteAt),
    incomplete_details: state.reason === undefined ? null : { reason: state.reason },
  };
}

/** Returns a source of a message in the API's form. */
function wireAnnotation(annotation: PlacedAnnotation, text: string): JsonObject {
  if (annotation.type === "file_citation") {
    const { fileId, index } = annotation;
    return {
      type: "file_citation",
      text: "",
      start_index: index,
      end_index: index,
      file_citation: { file_id: fileId },
    };
  }
  if (annotation.type === "file_path") {
    const { fileId, filename, index: end } = annotation;
    const named = text.slice(0, end).endsWith(filename) ? filename : "";
    const start = end - named.length;
    const place = { text: named, start_index: start, end_index: end };
    return { type: "file_path", ...place, file_path: { file_id: fileId } };
  }
  const { start, end } = annotation;
  const place = { text: text.slice(start, end), start_index: start, end_index: end };
  if (annotation.type === "container_file_citation")
    return { type: "file_path", ...place, file_path: { file_id: annotation.fileId } };
  // The original API has no pages as sources. Clients that know the type can show them.
  const { url, title } = annotation;
  return { type: "url_citation", ...place, url_citation: { url, title } };
}
