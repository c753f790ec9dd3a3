import type { CustomToolCallOutput, ItemStatus } from "./wire.ts";
import { internText } from "./interned-text.ts";
import { type ItemPosition, positionOf, type ItemWriter } from "./item-writer.ts";

/**
 * A call of a client's custom tool, whose input is plain text. The model is offered it as a
 * function with one argument `input`, so it is shown once that is complete.
 */
export function createCustomCallWriter(call: {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}): ItemWriter {
  const { callId, name } = call;
  const input = internText(customInput(call.argumentsText));
  let position: ItemPosition | undefined;

  const item = (status: ItemStatus, text: string): CustomToolCallOutput => ({
    id: positionOf(position).itemId,
    type: "custom_tool_call",
    status,
    call_id: callId,
    name,
    input: text,
  });

  return {
    kind: "client_call",
    prefix: "ctc",
    phase: () => "ended",
    isOpen: () => position !== undefined,
    open(given) {
      position = given;
      const { emit, outputIndex: output_index, itemId: item_id } = given;
      emit({ type: "response.output_item.added", output_index, item: item("in_progress", "") });
      if (input.text === "") return;
      emit({
        type: "response.custom_tool_call_input.delta",
        item_id,
        output_index,
        delta: input.text,
      });
    },
    snapshot: () => item("in_progress", input.text),
    close(status) {
      const { emit, outputIndex: output_index, itemId: item_id } = positionOf(position);
      const final = item(status, input.text);
      const done = { item_id, output_index, input: final.input };
      emit({ type: "response.custom_tool_call_input.done", ...done });
      emit({ type: "response.output_item.done", output_index, item: final });
      return final;
    },
  };
}

/** The `input` of the arguments; a model that wrote bare text instead meant that text. */
function customInput(argumentsText: string): string {
  try {
    const args: unknown = JSON.parse(argumentsText);
    if (typeof args === "object" && args !== null && "input" in args) {
      return typeof args.input === "string" ? args.input : JSON.stringify(args.input);
    }
  } catch {
    // Not JSON: it is the input itself.
  }
  return argumentsText;
}
