import { writtenArguments } from "../../arguments/written-arguments.ts";
import type { CallResult } from "../../call/record/call-record.ts";
import type { SettledStatus } from "../../tool/tool-result.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Message } from "../../model/message.ts";
import type { ChainError, ChainPhase } from "../journal/chain-result.ts";
import { errorMessage } from "../../base/errors.ts";
import type { ChainEvent } from "../journal/chain-event.ts";

interface RunningCall {
  readonly callId: string;
  readonly toolName: string;
}

/**
 * The callbacks of the caller. All except `onBeforeSendToLLM` are derived from the chain's events
 * and not awaited. If a callback throws or rejects, it does not stop the chain: `onError` gets it
 * with the phase `callback`, and the result's `problems` contain it.
 */
export interface ToolChainCallbacks {
  /**
   * Called for each requested call before it is checked, approved and run. `onToolCallComplete`
   * follows each.
   */
  readonly onToolCallStart?: (
    toolName: string,
    args: JsonObject,
    callId: string,
    argumentsText: string,
  ) => unknown;
  readonly onToolCallComplete?: (
    result: CallResult & { readonly status: SettledStatus },
    callId: string,
  ) => unknown;
  /** The text of the current step so far, and the running calls, whenever either changes. */
  readonly onLLMResponseUpdate?: (content: string, running: readonly RunningCall[]) => unknown;
  /** The text of a finished step. */
  readonly onLLMResponseComplete?: (content: string) => unknown;
  /** Each call that failed, and the error that ended the chain early, with the phase. */
  readonly onError?: (error: ChainError, phase: ChainPhase) => unknown;
  /**
   * Gets the messages of every request, including the last and repeated ones, and may change them.
   * If it throws, nothing is sent, and the chain ends with an error of the phase `before_send`. The
   * chain awaits it until the turn is stopped or its time is over; then the signal aborts.
   */
  readonly onBeforeSendToLLM?: (
    messages: readonly Message[],
    context: { readonly signal: AbortSignal },
  ) => readonly Message[] | undefined | void | Promise<readonly Message[] | undefined | void>;
}

type Listener = (event: ChainEvent) => unknown;

/**
 * The maximum number of stored problems, so that a callback that always throws cannot fill the
 * memory.
 */
const keptProblems = 20;

/** Passes events to the caller's functions, and catches their errors. */
export class Listeners {
  readonly problems: ChainError[] = [];
  readonly #callbacks: ToolChainCallbacks;
  readonly #listeners: readonly (readonly [string, Listener])[];

  constructor(callbacks: ToolChainCallbacks | undefined, onEvent: Listener | undefined) {
    this.#callbacks = callbacks ?? {};
    this.#listeners = [
      ...(onEvent === undefined ? [] : [["onEvent", onEvent] as const]),
      ...(callbacks === undefined ? [] : callbackListeners(callbacks)),
    ];
  }

  get hasAny(): boolean {
    return this.#listeners.length > 0;
  }

  notify(event: ChainEvent): void {
    for (const [name, listener] of this.#listeners) {
      try {
        const returned: unknown = listener(event);
        if (returned instanceof Promise)
          returned.catch((thrown: unknown) => this.#failed(name, thrown));
      } catch (thrown) {
        this.#failed(name, thrown);
      }
    }
  }

  /** Reports a problem that does not stop the chain. */
  report(problem: ChainError): void {
    if (this.problems.length < keptProblems) this.problems.push(problem);
    try {
      const returned: unknown = this.#callbacks.onError?.(problem, problem.phase);
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // An error in `onError` itself cannot be reported.
    }
  }

  #failed(name: string, thrown: unknown): void {
    this.report({
      code: "callback_failed",
      message: `${name} threw: ${errorMessage(thrown)}`,
      phase: "callback",
    });
  }
}

function callbackListeners(
  callbacks: ToolChainCallbacks,
): readonly (readonly [string, Listener])[] {
  const { onToolCallStart, onToolCallComplete, onLLMResponseUpdate } = callbacks;
  const { onLLMResponseComplete, onError } = callbacks;
  const listeners: (readonly [string, Listener])[] = [];
  const add = (name: string, listener: Listener) => listeners.push([name, listener]);
  if (onToolCallStart !== undefined)
    add("onToolCallStart", (event) =>
      event.type === "call.proposed"
        ? onToolCallStart(event.name, argumentsOf(event), event.callId, event.argumentsText)
        : undefined,
    );
  if (onLLMResponseUpdate !== undefined)
    add("onLLMResponseUpdate", responseUpdates(onLLMResponseUpdate));
  if (onToolCallComplete !== undefined)
    add("onToolCallComplete", (event) =>
      event.type === "call.settled"
        ? onToolCallComplete({ ...event.result, status: event.status }, event.callId)
        : undefined,
    );
  if (onLLMResponseComplete !== undefined)
    add("onLLMResponseComplete", responseEnds(onLLMResponseComplete));
  if (onError !== undefined)
    add("onError", (event) => {
      const error = errorOf(event);
      return error === undefined ? undefined : onError(error, error.phase);
    });
  return listeners;
}

function responseUpdates(
  onUpdate: NonNullable<ToolChainCallbacks["onLLMResponseUpdate"]>,
): Listener {
  const words = stepWords();
  const names = new Map<string, string>();
  const running = new Map<string, RunningCall>();
  const update = () => onUpdate(words.text(), [...running.values()]);
  return (event) => {
    if (words.take(event)) return event.type === "item.delta" ? update() : undefined;
    switch (event.type) {
      case "call.proposed":
        return void names.set(event.callId, event.name);
      case "call.started": {
        const { callId } = event;
        running.set(callId, { callId, toolName: names.get(callId) ?? "" });
        return update();
      }
      case "call.settled":
        names.delete(event.callId);
        return running.delete(event.callId) ? update() : undefined;
      default:
        return undefined;
    }
  };
}

function responseEnds(onComplete: (content: string) => unknown): Listener {
  const words = stepWords();
  return (event) => {
    words.take(event);
    return event.type === "round.ended" ? onComplete(words.text()) : undefined;
  };
}

/** Collects the model's text in the current step. */
function stepWords() {
  const items = new Set<string>();
  let content = "";
  return {
    text: () => content,
    /** Returns whether the event changed or began the text. */
    take(event: ChainEvent): boolean {
      if (event.type === "round.started" || event.type === "model.restarted") {
        content = "";
        items.clear();
        return true;
      }
      if (event.type === "item.start" && event.kind === "text") items.add(event.itemId);
      if (event.type !== "item.delta" || !items.has(event.itemId)) return false;
      content += event.delta;
      return true;
    },
  };
}

/** Error codes of calls with invalid arguments. */
const argumentCodes: ReadonlySet<string> = new Set(["invalid_arguments", "not_json"]);

function errorOf(event: ChainEvent): ChainError | undefined {
  if (event.type === "chain.ended") return event.error;
  if (event.type !== "call.settled" || event.status === "success") return undefined;
  const { error } = event.result;
  if (error === undefined) return undefined;
  const { code, message } = error;
  return { code, message, phase: argumentCodes.has(code) ? "arguments" : "tool" };
}

/**
 * A call that the gate rejected or that a client runs has only the arguments that the model wrote.
 */
function argumentsOf({
  owner,
  args,
  argumentsText,
}: Extract<ChainEvent, { readonly type: "call.proposed" }>): JsonObject {
  return args === undefined || owner === "client" ? writtenArguments(argumentsText) : args;
}
