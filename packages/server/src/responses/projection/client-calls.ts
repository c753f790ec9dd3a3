import { createCustomCallUnit } from "./custom-call-unit.ts";
import type { Floor } from "./floor.ts";
import { createFunctionCallUnit, type FunctionCallUnit } from "./function-call-unit.ts";
import { type SharedText, sharedText } from "./shared-text.ts";
import type { Unit } from "./unit.ts";

interface ProposedCall {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** The calls that the client runs. They are announced, live or once they are certain. */
export interface ClientCalls {
  /** The model begins to write a call; what is to take its arguments, where they are shown. */
  writing(callId: string, name: string): FunctionCallUnit | undefined;
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
  readonly floor: Floor;
  readonly customTools: readonly string[];
  /** `after_step`: only what is sure to stand is announced. */
  readonly publish: "live" | "after_step";
}): ClientCalls {
  const { floor } = options;
  const customTools = new Set(options.customTools);
  const isActive = options.publish === "live";
  const known = new Map<string, { readonly name: string; readonly argumentsText: SharedText }>();
  const announced = new Set<string>();
  let step: { readonly callId: string; readonly unit: Unit }[] = [];

  const announce = (callId: string, unit: Unit): void => {
    announced.add(callId);
    step.push({ callId, unit });
    floor.enter(unit);
  };
  const announceWhole = ({ callId, name, argumentsText }: ProposedCall): void => {
    if (announced.has(callId)) return;
    if (customTools.has(name)) {
      announce(callId, createCustomCallUnit({ callId, name, argumentsText }));
      return;
    }
    const unit = createFunctionCallUnit({ callId, name });
    unit.end(argumentsText, { incomplete: false });
    announce(callId, unit);
  };

  return {
    writing(callId, name) {
      if (!isActive || customTools.has(name) || announced.has(callId)) return undefined;
      const unit = createFunctionCallUnit({ callId, name });
      announce(callId, unit);
      return unit;
    },
    written(callId, name, argumentsText) {
      if (!isActive || !customTools.has(name)) return;
      announceWhole({ callId, name, argumentsText });
    },
    proposed({ callId, name, argumentsText }) {
      known.set(callId, { name, argumentsText: sharedText(argumentsText) });
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
      const revealed = step.some(({ unit }) => unit.isOpen());
      for (const { callId, unit } of step) {
        floor.withdraw(unit);
        announced.delete(callId);
      }
      step = [];
      return revealed ? "revealed" : "void";
    },
    isClientCall: (callId) => known.has(callId),
  };
}
