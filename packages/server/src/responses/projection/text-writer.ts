import { createTextBuffer } from "./text-buffer.ts";
import type { TextItemFormat } from "./text-item-format.ts";
import { type Phase, type ItemPosition, positionOf, type ItemWriter } from "./item-writer.ts";

export interface TextWriter extends ItemWriter {
  append(delta: string): void;
  /** What was streamed stands: only text that goes beyond it is sent. */
  end(text: string, options: { readonly incomplete: boolean }): void;
  /** It ended, but only because it was cut off. */
  cut(): void;
  /** No more will come; what there is stands. */
  stand(): void;
}

/** A message or a reasoning item with one part of text. */
export function createTextWriter(form: TextItemFormat): TextWriter {
  const text = createTextBuffer();
  let phase: Phase = "silent";
  let position: ItemPosition | undefined;

  const inPart = () => {
    const { itemId, outputIndex } = positionOf(position);
    return { item_id: itemId, output_index: outputIndex, content_index: 0 };
  };
  const say = (delta: string): void => {
    if (delta === "") return;
    if (phase === "silent") phase = "open";
    position?.emit(form.delta(inPart(), delta));
  };

  return {
    kind: "text",
    prefix: form.prefix,
    phase: () => phase,
    isOpen: () => position !== undefined,
    append(delta) {
      text.append(delta);
      say(delta);
    },
    end(whole, { incomplete }) {
      say(text.complete(whole) ?? "");
      phase = incomplete ? "cut" : "ended";
    },
    cut() {
      phase = "cut";
    },
    stand() {
      phase = "ended";
    },
    open(given) {
      position = given;
      const { emit, outputIndex: output_index, itemId } = given;
      const item = form.item(itemId, "in_progress", []);
      emit({ type: "response.output_item.added", output_index, item });
      emit({ type: "response.content_part.added", ...inPart(), part: form.part("") });
      if (!text.isEmpty()) emit(form.delta(inPart(), text.whole()));
    },
    snapshot: () => form.item(positionOf(position).itemId, "in_progress", [text.whole()]),
    close(status) {
      const { emit, outputIndex: output_index, itemId } = positionOf(position);
      const whole = text.whole();
      const item = form.item(itemId, status, [whole]);
      emit(form.done(inPart(), whole));
      emit({ type: "response.content_part.done", ...inPart(), part: form.part(whole) });
      emit({ type: "response.output_item.done", output_index, item });
      return item;
    },
  };
}
