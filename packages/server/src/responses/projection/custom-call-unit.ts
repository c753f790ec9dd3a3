import type { CustomToolCallOutput, ItemStatus } from "./wire.ts";
import { sharedText } from "./shared-text.ts";
import { type Place, placeOf, type Unit } from "./unit.ts";

/**
 * A call of a client's custom tool, whose input is plain text. The model is offered it as a
 * function with one argument `input`, so it is shown once that is complete.
 */
export function createCustomCallUnit(call: {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}): Unit {
  const { callId, name } = call;
  const input = sharedText(customInput(call.argumentsText));
  let place: Place | undefined;

  const item = (status: ItemStatus, text: string): CustomToolCallOutput => ({
    id: placeOf(place).itemId,
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
    isOpen: () => place !== undefined,
    open(given) {
      place = given;
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
      const { emit, outputIndex: output_index, itemId: item_id } = placeOf(place);
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
