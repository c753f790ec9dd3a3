import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";

/** One answer of a script. A function gets the request; `events` is the raw stream. */
export type ScriptedStep =
  | string
  | ScriptedAnswer
  | { readonly events: readonly ModelEvent[] | AsyncIterable<ModelEvent> }
  | { readonly error: Error; readonly after?: string }
  | ((request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>);

/** An answer of a scripted model. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly usage?: Usage;
}

/** A call in a scripted answer. */
export interface ScriptedCall {
  readonly name: string;
  /** A text, or a value that is converted to JSON. @default {} */
  readonly args?: unknown;
  /** @default `call_{n}`, counted through the script */
  readonly id?: string;
}

/**
 * A model that streams the answers of a script in small chunks, one step for each request. A
 * request beyond the script is an error, and `assertDone` fails if steps remain, so a test defines
 * the exact number of requests.
 *
 * @example
 * const model = new ScriptedModel([{ calls: [{ name: "Add", args: { a: 1, b: 2 } }] }, "It is 3."]);
 */
export class ScriptedModel implements Model {
  readonly id: string;
  /** The requests so far, in order. */
  readonly requests: ModelRequest[] = [];
  readonly #steps: readonly ScriptedStep[];
  readonly #chunk: number;
  #calls = 0;

  constructor(
    steps: readonly ScriptedStep[],
    options: {
      readonly id?: string;
      /** Characters of each delta. */ readonly chunk?: number;
    } = {},
  ) {
    this.#steps = steps;
    this.id = options.id ?? "test/scripted";
    this.#chunk = options.chunk ?? 16;
  }

  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const step = this.#steps[this.requests.length];
    this.requests.push(request);
    if (step === undefined) {
      throw new Error(
        `The script has ${this.#steps.length} steps, and the model was asked once more.`,
      );
    }
    yield* this.#play(step, request, signal);
  }

  /**
   * @throws Error if steps of the script are left
   */
  assertDone(): void {
    const left = this.#steps.length - this.requests.length;
    if (left > 0)
      throw new Error(`${left} of ${this.#steps.length} steps of the script were not used.`);
  }

  async *#play(
    step: ScriptedStep,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    signal.throwIfAborted();
    if (typeof step === "function") return yield* this.#play(await step(request), request, signal);
    if (typeof step === "string") return yield* this.#play({ text: step }, request, signal);
    if ("events" in step) {
      yield* step.events;
      return;
    }
    if ("error" in step) {
      yield* this.#chunks(step.after ?? "", (text) => ({ type: "text-delta", text }));
      throw step.error;
    }
    yield* this.#answer(step);
  }

  *#answer({
    text = "",
    reasoning = "",
    calls = [],
    usage,
  }: ScriptedAnswer): Generator<ModelEvent> {
    yield* this.#chunks(reasoning, (delta) => ({ type: "reasoning-delta", text: delta }));
    if (reasoning !== "") yield { type: "reasoning-end" };
    yield* this.#chunks(text, (delta) => ({ type: "text-delta", text: delta }));
    for (const call of calls) {
      const id = call.id ?? `call_${++this.#calls}`;
      const args = typeof call.args === "string" ? call.args : JSON.stringify(call.args ?? {});
      yield { type: "tool-call-start", id, name: call.name };
      yield* this.#chunks(args, (delta) => ({ type: "tool-call-delta", id, delta }));
      yield { type: "tool-call-end", id, name: call.name, arguments: args };
    }
    yield {
      type: "finish",
      reason: calls.length > 0 ? "tool_calls" : "stop",
      usage: usage ?? { inputTokens: 10, outputTokens: Math.ceil(text.length / 4) },
    };
  }

  *#chunks(text: string, event: (chunk: string) => ModelEvent): Generator<ModelEvent> {
    for (let at = 0; at < text.length; at += this.#chunk)
      yield event(text.slice(at, at + this.#chunk));
  }
}
