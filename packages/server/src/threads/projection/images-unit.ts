import type { CallResult, JsonObject } from "@capstan/core";
import { type MessageIdentity, messageStep, messageView } from "./message-view.ts";
import type { ThreadEvent, Unit, UnitEnd } from "./unit.ts";

/** A message with the pictures that a final tool has returned. */
export interface ImagesUnit extends Unit {
  readonly type: "images";
}

/** Returns the ids of a result's pictures that are stored files. */
export function imageIds({ parts = [] }: CallResult): readonly string[] {
  return parts.flatMap((part) =>
    part.type === "image" && part.fileId !== undefined ? [part.fileId] : [],
  );
}

/** Creates a message with pictures, and the step that creates it. */
export function createImagesUnit({
  files,
  ...of
}: MessageIdentity & { readonly files: readonly string[] }): ImagesUnit {
  const content = files.map((id): JsonObject => ({
    type: "image_file",
    image_file: { file_id: id, detail: "auto" },
  }));
  let isSent = false;
  const step = (end: UnitEnd | undefined) => messageStep(of, end);
  const message = (end: UnitEnd | undefined) => messageView(of, content, end);
  return {
    type: "images",
    isSilent: () => content.length === 0,
    open: () => [
      { event: "thread.run.step.created", data: step(undefined) },
      { event: "thread.run.step.in_progress", data: step(undefined) },
      { event: "thread.message.created", data: messageView(of, [], undefined) },
      { event: "thread.message.in_progress", data: messageView(of, [], undefined) },
    ],
    takeDeltas(): readonly ThreadEvent[] {
      if (isSent) return [];
      isSent = true;
      const parts = content.map((part, index) => ({ index, ...part }));
      const { message: id } = of.ids;
      const data = { id, object: "thread.message.delta", delta: { content: parts } };
      return [{ event: "thread.message.delta", data }];
    },
    close: (end) => {
      const whole = message(end);
      const ending = whole["status"] === "completed" ? "completed" : "incomplete";
      return [
        { event: `thread.message.${ending}`, data: whole },
        { event: `thread.run.step.${end.status}`, data: step(end) },
      ];
    },
    step,
    message,
  };
}
