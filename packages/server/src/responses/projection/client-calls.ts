import {
  type ItemPosition,
  type ItemWriter,
  type OutputOrder,
  type Phase,
  positionOf,
} from "./output-order.ts";
import { createTextBuffer, type InternedText, internText } from "./text-items.ts";
import type { CustomToolCallOutput, FunctionCallOutput, ItemStatus } from "./wire.ts";

interface ProposedCall {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** The calls that the client runs. They are announced, live or once they are certain. */
interface ClientCalls {
  /** The model begins to write a call; what is to take its arguments, where they are shown. */
  writing(callId: string, name: string): FunctionCallWriter | undefined;
  /** The model wrote the whole of a custom call. */
  written(callId: string, name: string, argumentsText: string): void;
  proposed(call: ProposedCall): void;
  waiting(callId: string): void;
  /** A step of the model is over: what it said is certain. */
  stepEnded(): void;
  /**
   * What the model said in this step is void. Calls that nobody has seen are taken back;
   * `revealed`: one was seen and cannot be.
   */
  voidStep(): "void" | "revealed";
  isClientCall(callId: string): boolean;
}

export function createClientCalls(options: {
  readonly outputOrder: OutputOrder;
  readonly customTools: readonly string[];
  /** `after_step`: only what is sure to stand is announced. */
  readonly publish: "live" | "after_step";
}): ClientCalls {
  const { outputOrder } = options;
  const customTools = new Set(options.customTools);
  const isActive = options.publish === "live";
  const known = new Map<string, { readonly name: string; readonly argumentsText: InternedText }>();
  const announced = new Set<string>();
  let step: { readonly callId: string; readonly writer: ItemWriter }[] = [];

  const announce = (callId: string, writer: ItemWriter): void => {
    announced.add(callId);
    step.push({ callId, writer });
    outputOrder.enter(writer);
  };
  const announceWhole = ({ callId, name, argumentsText }: ProposedCall): void => {
    if (announced.has(callId)) return;
    if (customTools.has(name)) {
      announce(callId, createCustomCallWriter({ callId, name, argumentsText }));
      return;
    }
    const writer = createFunctionCallWriter({ callId, name });
    writer.end(argumentsText, { incomplete: false });
    announce(callId, writer);
  };

  return {
    writing(callId, name) {
      if (!isActive || customTools.has(name) || announced.has(callId)) return undefined;
      const writer = createFunctionCallWriter({ callId, name });
      announce(callId, writer);
      return writer;
    },
    written(callId, name, argumentsText) {
      if (!isActive || !customTools.has(name)) return;
      announceWhole({ callId, name, argumentsText });
    },
    proposed({ callId, name, argumentsText }) {
      known.set(callId, { name, argumentsText: internText(argumentsText) });
    },
    waiting(callId) {
      const call = known.get(callId);
      if (call === undefined) return;
      announceWhole({ callId, name: call.name, argumentsText: call.argumentsText.text });
    },
    stepEnded() {
      step = [];
    },
    voidStep() {
      const revealed = step.some(({ writer }) => writer.isOpen());
      for (const { callId, writer } of step) {
        outputOrder.withdraw(writer);
        announced.delete(callId);
      }
      step = [];
      return revealed ? "revealed" : "void";
    },
    isClientCall: (callId) => known.has(callId),
  };
}

export interface FunctionCallWriter extends ItemWriter {
  append(delta: string): void;
  end(text: string, options: { readonly incomplete: boolean }): void;
}

/** A client's function call, its arguments streamed as the model writes them. */
function createFunctionCallWriter(call: {
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

/**
 * A call of a client's custom tool, whose input is plain text. The model is offered it as a
 * function with one argument `input`, so it is shown once that is complete.
 */
function createCustomCallWriter(call: {
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
