import { createCustomCallWriter } from "./custom-call-writer.ts";
import type { OutputOrder } from "./output-order.ts";
import { createFunctionCallWriter, type FunctionCallWriter } from "./function-call-writer.ts";
import { type InternedText, internText } from "./interned-text.ts";
import type { ItemWriter } from "./item-writer.ts";

interface ProposedCall {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** The calls that the client runs. They are announced, live or once they are certain. */
export interface ClientCalls {
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
