import { createGrowingText } from "./growing-text.ts";
import type { TextForm } from "./text-form.ts";
import { type Phase, type Place, placeOf, type Unit } from "./unit.ts";

export interface TextUnit extends Unit {
  append(delta: string): void;
  /** What was streamed stands: only text that goes beyond it is sent. */
  end(text: string, options: { readonly incomplete: boolean }): void;
  /** It ended, but only because it was cut off. */
  cut(): void;
  /** No more will come; what there is stands. */
  stand(): void;
}

/** A message or a reasoning item with one part of text. */
export function createTextUnit(form: TextForm): TextUnit {
  const text = createGrowingText();
  let phase: Phase = "silent";
  let place: Place | undefined;

  const inPart = () => {
    const { itemId, outputIndex } = placeOf(place);
    return { item_id: itemId, output_index: outputIndex, content_index: 0 };
  };
  const say = (delta: string): void => {
    if (delta === "") return;
    if (phase === "silent") phase = "open";
    place?.emit(form.delta(inPart(), delta));
  };

  return {
    kind: "text",
    prefix: form.prefix,
    phase: () => phase,
    isOpen: () => place !== undefined,
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
      place = given;
      const { emit, outputIndex: output_index, itemId } = given;
      const item = form.item(itemId, "in_progress", []);
      emit({ type: "response.output_item.added", output_index, item });
      emit({ type: "response.content_part.added", ...inPart(), part: form.part("") });
      if (!text.isEmpty()) emit(form.delta(inPart(), text.whole()));
    },
    snapshot: () => form.item(placeOf(place).itemId, "in_progress", [text.whole()]),
    close(status) {
      const { emit, outputIndex: output_index, itemId } = placeOf(place);
      const whole = text.whole();
      const item = form.item(itemId, status, [whole]);
      emit(form.done(inPart(), whole));
      emit({ type: "response.content_part.done", ...inPart(), part: form.part(whole) });
      emit({ type: "response.output_item.done", output_index, item });
      return item;
    },
  };
}
