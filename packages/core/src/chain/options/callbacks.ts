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
 * What a program wants to be told of; all but `onBeforeSendToLLM` are derived from the chain's
 * events. None is waited for, and one that throws or rejects is reported to `onError` with the
 * phase `callback` and in the result's `problems`, and stops nothing.
 */
export interface ToolChainCallbacks {
  /** A call came: before it is checked, asked about and run. Each gets its `onToolCallComplete`. */
  readonly onToolCallStart?: (toolName: string, args: JsonObject, callId: string) => unknown;
  readonly onToolCallComplete?: (
    result: CallResult & { readonly status: SettledStatus },
    callId: string,
  ) => unknown;
  /** The words of the current step so far, and the calls that run; whenever either changes. */
  readonly onLLMResponseUpdate?: (content: string, running: readonly RunningCall[]) => unknown;
  /** The words of a step that is finished. */
  readonly onLLMResponseComplete?: (content: string) => unknown;
  /** What went wrong and where: each call that failed, and whatever ended the chain early. */
  readonly onError?: (error: ChainError, phase: ChainPhase) => unknown;
  /**
   * Sees, and may change, the messages of every request, the last and repeated ones included.
   * Where it throws, nothing is sent and the chain ends with an error of the phase `before_send`.
   * It is waited for until the turn is stopped or its time is over; then the signal aborts.
   */
  readonly onBeforeSendToLLM?: (
    messages: readonly Message[],
    context: { readonly signal: AbortSignal },
  ) => readonly Message[] | undefined | void | Promise<readonly Message[] | undefined | void>;
}

type Listener = (event: ChainEvent) => unknown;

/** Problems that are kept; a callback that always throws would else fill the memory. */
const keptProblems = 20;

/** Hands events to a program's own functions, and keeps what goes wrong in them from the chain. */
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

  /** Something that stopped nothing, but that somebody should know. */
  report(problem: ChainError): void {
    if (this.problems.length < keptProblems) this.problems.push(problem);
    try {
      const returned: unknown = this.#callbacks.onError?.(problem, problem.phase);
      if (returned instanceof Promise) returned.catch(() => {});
    } catch {
      // Nobody is left to tell.
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
        ? onToolCallStart(event.name, event.args ?? {}, event.callId)
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

/** What the model has said in the current step. */
function stepWords() {
  const items = new Set<string>();
  let content = "";
  return {
    text: () => content,
    /** Whether the event changed or began the words. */
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

/** Codes of calls whose arguments were at fault. */
const argumentCodes: ReadonlySet<string> = new Set(["invalid_arguments", "not_json"]);

function errorOf(event: ChainEvent): ChainError | undefined {
  if (event.type === "chain.ended") return event.error;
  if (event.type !== "call.settled" || event.status === "success") return undefined;
  const { error } = event.result;
  if (error === undefined) return undefined;
  const { code, message } = error;
  return { code, message, phase: argumentCodes.has(code) ? "arguments" : "tool" };
}
