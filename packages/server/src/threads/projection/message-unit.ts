import type { JsonObject, PlacedAnnotation } from "@capstan/core";
import { type MessageIdentity, messageStep, messageView } from "./message-view.ts";
import type { ThreadEvent, Unit, UnitEnd } from "./unit.ts";

/** A message that a model or a final tool writes. */
export interface MessageUnit extends Unit {
  readonly type: "message";
  readonly append: (text: string) => void;
  /** Sets the whole text, of which the deltas are a part. */
  readonly finish: (text: string, annotations?: readonly PlacedAnnotation[]) => void;
}

interface MessageOptions extends MessageIdentity {
  readonly isRefusal: boolean;
}

/** Creates a message of a run, and the step that creates it. */
export function createMessageUnit({ isRefusal, ...of }: MessageOptions): MessageUnit {
  const { ids } = of;
  let text = "";
  let sent = 0;
  let annotations: readonly JsonObject[] = [];
  let sentAnnotations = 0;

  const message = (end: UnitEnd | undefined, hasContent = true) => {
    const part = isRefusal
      ? { type: "refusal", refusal: text }
      : { type: "text", text: { value: text, annotations: [...annotations] } };
    return messageView(of, hasContent ? [part] : [], end);
  };
  const step = (end: UnitEnd | undefined) => messageStep(of, end);
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
