import type { CustomToolCallOutput, ItemStatus } from "../wire.ts";
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
  const input = customInput(call.argumentsText);
  let place: Place | undefined;

  const item = (status: ItemStatus, text: string): CustomToolCallOutput => ({
    id: placeOf(place).itemId,
    type: "custom_tool_call",
    status,
    call_id: call.callId,
    name: call.name,
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
      if (input === "") return;
      emit({ type: "response.custom_tool_call_input.delta", item_id, output_index, delta: input });
    },
    snapshot: () => item("in_progress", input),
    close(status) {
      const { emit, outputIndex: output_index, itemId: item_id } = placeOf(place);
      emit({ type: "response.custom_tool_call_input.done", item_id, output_index, input });
      emit({ type: "response.output_item.done", output_index, item: item(status, input) });
      return item(status, input);
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
