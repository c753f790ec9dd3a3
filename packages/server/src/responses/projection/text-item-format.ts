import type { ItemStatus, OutputItem, OutputText, ReasoningText, UnnumberedEvent } from "./wire.ts";

interface PartPosition {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: number;
}

/** How a message and how reasoning look on the wire; they stream alike. */
export interface TextItemFormat {
  readonly prefix: string;
  item(id: string, status: ItemStatus, parts: readonly string[]): OutputItem;
  part(text: string): OutputText | ReasoningText;
  delta(position: PartPosition, delta: string): UnnumberedEvent;
  done(position: PartPosition, text: string): UnnumberedEvent;
}

export const messageFormat: TextItemFormat = {
  prefix: "msg",
  item: (id, status, parts) => ({
    id,
    type: "message",
    status,
    role: "assistant",
    content: parts.map(outputText),
  }),
  part: outputText,
  delta: (position, delta) => ({
    type: "response.output_text.delta",
    ...position,
    delta,
    logprobs: [],
  }),
  done: (position, text) => ({
    type: "response.output_text.done",
    ...position,
    text,
    logprobs: [],
  }),
};

export const reasoningFormat: TextItemFormat = {
  prefix: "rs",
  item: (id, status, parts) => ({
    id,
    type: "reasoning",
    status,
    summary: [],
    content: parts.map(reasoningText),
  }),
  part: reasoningText,
  delta: (position, delta) => ({ type: "response.reasoning_text.delta", ...position, delta }),
  done: (position, text) => ({ type: "response.reasoning_text.done", ...position, text }),
};

function outputText(text: string): OutputText {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function reasoningText(text: string): ReasoningText {
  return { type: "reasoning_text", text };
}
