import type { FunctionCallOutput, ItemStatus } from "./wire.ts";
import { createTextBuffer } from "./text-buffer.ts";
import { type Phase, type ItemPosition, positionOf, type ItemWriter } from "./item-writer.ts";

export interface FunctionCallWriter extends ItemWriter {
  append(delta: string): void;
  end(text: string, options: { readonly incomplete: boolean }): void;
}

/** A client's function call, its arguments streamed as the model writes them. */
export function createFunctionCallWriter(call: {
  readonly callId: string;
  readonly name: string;
}): FunctionCallWriter {
  const text = createTextBuffer();
  let phase: Phase = "open";
  let position: ItemPosition | undefined;

  const item = (status: ItemStatus, args: string): FunctionCallOutput => ({
    id: positionOf(position).itemId,
    type: "function_call",
    status,
    call_id: call.callId,
    name: call.name,
    arguments: args,
  });
  const inItem = () => {
    const { itemId, outputIndex } = positionOf(position);
    return { item_id: itemId, output_index: outputIndex };
  };
  const sendDelta = (delta: string): void => {
    if (delta === "") return;
    position?.emit({ type: "response.function_call_arguments.delta", ...inItem(), delta });
  };
  const append = (delta: string): void => {
    text.append(delta);
    sendDelta(delta);
  };

  return {
    kind: "client_call",
    prefix: "fc",
    phase: () => phase,
    isOpen: () => position !== undefined,
    append,
    end(whole, { incomplete }) {
      sendDelta(text.complete(whole) ?? "");
      // A call without arguments is a call with none, and clients parse what they are given.
      if (!incomplete && text.whole().trim() === "") append("{}");
      phase = incomplete ? "cut" : "ended";
    },
    open(given) {
      position = given;
      const { emit, outputIndex: output_index } = given;
      emit({ type: "response.output_item.added", output_index, item: item("in_progress", "") });
      sendDelta(text.whole());
    },
    snapshot: () => item("in_progress", text.whole()),
    close(status) {
      const { emit, outputIndex: output_index } = positionOf(position);
      const final = item(status, text.whole());
      emit({
        type: "response.function_call_arguments.done",
        ...inItem(),
        name: call.name,
        arguments: final.arguments,
      });
      emit({ type: "response.output_item.done", output_index, item: final });
      return final;
    },
  };
}
