import type { ItemStatus, OutputItem, OutputText, ReasoningText, UnnumberedEvent } from "./wire.ts";

interface PartPlace {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
}

/** How a message and how reasoning look on the wire; they stream alike. */
export interface TextForm {
  readonly prefix: string;
  item(id: string, status: ItemStatus, parts: readonly string[]): OutputItem;
  part(text: string): OutputText | ReasoningText;
  delta(place: PartPlace, delta: string): UnnumberedEvent;
  done(place: PartPlace, text: string): UnnumberedEvent;
}

export const messageForm: TextForm = {
  prefix: "msg",
  item: (id, status, parts) => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content: parts.map(outputText),
  }),
  part: outputText,
  delta: (place, delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] }),
  done: (place, text) => ({ type: "response.output_text.done", ...place, text, logprobs: [] }),
};

export const reasoningForm: TextForm = {
  prefix: "rs",
  item: (id, status, parts) => ({
    id,
    type: "reasoning",
    status,
    summary: [],
    content: parts.map(reasoningText),
  }),
  part: reasoningText,
  delta: (place, delta) => ({ type: "response.reasoning_text.delta", ...place, delta }),
  done: (place, text) => ({ type: "response.reasoning_text.done", ...place, text }),
};

function outputText(text: string): OutputText {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function reasoningText(text: string): ReasoningText {
  return { type: "reasoning_text", text };
}
