import type { ChainEvent, JsonObject } from "@capstan/core";
import { customInput } from "@capstan/core/host";
import { callMembers, openingMembers } from "../client-tools/built-in-tools.ts";
import {
  type BuiltInType,
  formOf,
  type ToolForm,
  type ToolForms,
} from "../client-tools/tool-form.ts";
import { incompleteCode } from "./incomplete-code.ts";
import { createItemWriter, type ItemWriter, type OutputOrder, type Phase } from "./output-order.ts";
import { createTextBuffer, type InternedText, internText } from "./text-items.ts";
import type { BuiltInCallOutput, CustomToolCallOutput, FunctionCallOutput } from "./wire.ts";

type CallEvent<T extends ChainEvent["type"]> = Extract<ChainEvent, { type: T }>;

interface ProposedCall {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
  /** The checked arguments of a checked tool's call. */
  readonly args?: JsonObject | undefined;
}

/**
 * Projects the calls that the client runs. They are announced live, or once their step is stored.
 */
export function createClientCalls(options: {
  readonly outputOrder: OutputOrder;
  readonly forms: ToolForms;
  /** `after_step`: a call is announced only once its step cannot be repeated. */
  readonly publish: "live" | "after_step";
}) {
  const { outputOrder, forms } = options;
  const isActive = options.publish === "live";
  const known = new Map<string, KnownCall>();
  const announced = new Set<string>();
  let step: { readonly callId: string; readonly writer: ItemWriter }[] = [];

  const announce = (callId: string, writer: ItemWriter): void => {
    announced.add(callId);
    step.push({ callId, writer });
    outputOrder.enter(writer);
  };
  const announceWhole = (
    { callId, name, argumentsText, args = {} }: ProposedCall,
    { incomplete } = { incomplete: false },
  ): void => {
    if (announced.has(callId)) return;
    const form = formOf(forms, name);
    switch (form.type) {
      case "function": {
        const writer = createFunctionCallWriter({ callId, form });
        writer.end(argumentsText, { incomplete });
        return announce(callId, writer);
      }
      case "custom":
        return announce(
          callId,
          createCustomCallWriter({ callId, form, argumentsText, incomplete }),
        );
      default:
        return announce(callId, createBuiltInCallWriter({ callId, form, args, incomplete }));
    }
  };

  return {
    /** The model starts to write a call. Returns the writer of its arguments, if they are shown. */
    writing(callId: string, name: string): FunctionCallWriter | undefined {
      const form = formOf(forms, name);
      if (!isActive || form.type !== "function" || announced.has(callId)) return undefined;
      const writer = createFunctionCallWriter({ callId, form });
      announce(callId, writer);
      return writer;
    },
    /** The model wrote the whole of a custom call. A checked one is announced after its check. */
    written(callId: string, name: string, argumentsText: string): void {
      const form = formOf(forms, name);
      if (!isActive || form.type !== "custom" || form.checked === true) return;
      announceWhole({ callId, name, argumentsText });
    },
    proposed({ callId, name, argumentsText, args }: ProposedCall): void {
      known.set(callId, { name, argumentsText: internText(argumentsText), args });
    },
    /** A call that a limit or a filter cut off is shown, but never given to the client. */
    settled({ callId, result }: CallEvent<"call.settled">): void {
      const call = known.get(callId);
      if (call === undefined || announced.has(callId)) return;
      if (result.error?.code !== incompleteCode) return;
      const argumentsText = call.argumentsText.text;
      announceWhole({ callId, name: call.name, argumentsText }, { incomplete: true });
    },
    waiting(callId: string): void {
      const call = known.get(callId);
      if (call === undefined) return;
      const { name, args } = call;
      announceWhole({ callId, name, argumentsText: call.argumentsText.text, args });
    },
    /** A step of the model has ended: its output is final. */
    stepEnded(): void {
      step = [];
    },
    /**
     * Voids the model's step. Calls that no client has seen are withdrawn; `revealed` means that a
     * client has seen one.
     */
    voidStep(): "void" | "revealed" {
      const revealed = step.some(({ writer }) => writer.isOpen());
      for (const { callId, writer } of step) {
        outputOrder.withdraw(writer);
        announced.delete(callId);
      }
      step = [];
      return revealed ? "revealed" : "void";
    },
    isClientCall: (callId: string) => known.has(callId),
  };
}

interface KnownCall extends Pick<ProposedCall, "name" | "args"> {
  readonly argumentsText: InternedText;
}

export interface FunctionCallWriter extends ItemWriter {
  append(delta: string): void;
  end(text: string, options: { readonly incomplete: boolean }): void;
}

type NamedForm = Extract<ToolForm, { readonly name: string }>;

/** Returns the names in a call's item: the client's own. */
function namesOf({ name, namespace }: NamedForm) {
  return { name, ...(namespace !== undefined && { namespace }) };
}

/** Writes a client's function call, and streams its arguments as the model writes them. */
function createFunctionCallWriter(call: {
  readonly callId: string;
  readonly form: NamedForm;
}): FunctionCallWriter {
  const text = createTextBuffer();
  let phase: Phase = "open";
  const sendDelta = (delta: string): void => {
    if (delta !== "") send({ type: "response.function_call_arguments.delta", delta });
  };
  const append = (delta: string): void => {
    text.append(delta);
    sendDelta(delta);
  };
  const { writer, send } = createItemWriter<FunctionCallOutput>({
    kind: "client_call",
    prefix: "fc",
    phase: () => phase,
    item: (id, status, isAdded) => ({
      id,
      type: "function_call",
      status,
      call_id: call.callId,
      ...namesOf(call.form),
      arguments: isAdded ? "" : text.whole(),
    }),
    opened: () => sendDelta(text.whole()),
    closing() {
      const args = { name: call.form.name, arguments: text.whole() };
      send({ type: "response.function_call_arguments.done", ...args });
    },
  });

  return {
    ...writer,
    append,
    end(whole, { incomplete }) {
      sendDelta(text.complete(whole) ?? "");
      // Clients parse the arguments as JSON, so an empty text becomes an empty object.
      if (!incomplete && text.whole().trim() === "") append("{}");
      phase = incomplete ? "cut" : "ended";
    },
  };
}

/**
 * Writes a call of a client's custom tool, whose input is plain text. The model is offered it as a
 * function with one argument `input`, so the call is shown once that argument is complete.
 */
function createCustomCallWriter(call: {
  readonly callId: string;
  readonly form: NamedForm;
  readonly argumentsText: string;
  readonly incomplete: boolean;
}): ItemWriter {
  const input = internText(customInput(call.argumentsText));
  return createItemWriter<CustomToolCallOutput>({
    kind: "client_call",
    prefix: "ctc",
    phase: () => (call.incomplete ? "cut" : "ended"),
    item: (id, status, isAdded) => ({
      id,
      type: "custom_tool_call",
      status,
      call_id: call.callId,
      ...namesOf(call.form),
      input: isAdded ? "" : input.text,
    }),
    opened(send) {
      const { text: delta } = input;
      if (delta !== "") send({ type: "response.custom_tool_call_input.delta", delta });
    },
    closing: (send) => send({ type: "response.custom_tool_call_input.done", input: input.text }),
  }).writer;
}

/**
 * Writes a call of a tool that the API defines. It has no events of its own: clients reject unknown
 * ones, and take the call from its last event.
 */
function createBuiltInCallWriter(call: {
  readonly callId: string;
  readonly form: Extract<ToolForm, { readonly type: BuiltInType }>;
  readonly args: JsonObject;
  readonly incomplete: boolean;
}): ItemWriter {
  const { type, environment } = call.form;
  return createItemWriter<BuiltInCallOutput>({
    kind: "client_call",
    prefix: builtInPrefixes[type],
    phase: () => (call.incomplete ? "cut" : "ended"),
    item: (id, status, isAdded) => ({
      id,
      type: `${type}_call`,
      status,
      call_id: call.callId,
      ...(isAdded ? openingMembers(type, call.args) : callMembers(type, call.args)),
      ...(environment !== undefined && { environment }),
    }),
  }).writer;
}

const builtInPrefixes: { readonly [type in BuiltInType]: string } = {
  local_shell: "lsh",
  shell: "sh",
  apply_patch: "apc",
  tool_search: "tsc",
};
