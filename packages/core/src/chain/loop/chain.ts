import { neutralise } from "../../text/neutralise.ts";
import type { AssistantMessage, Message } from "../../model/message.ts";
import { type Caller, callerWith } from "../../tool/caller.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import { type ChainEnding, stopped, abortError } from "./chain-ending.ts";
import { defaultChainLimits } from "../limits/chain-limits.ts";
import type { ReachedLimit, ChainError } from "../journal/chain-result.ts";
import { TurnCalls } from "../calls/turn-calls.ts";
import { Recorder, type RecorderOptions } from "../journal/recorder.ts";
import { canBeReadAgain, ResultCompaction, Turn } from "./turn.ts";
import { roundOffer } from "./chain-request.ts";
import type { LoopOptions } from "../options/check-options.ts";
import type { Listeners } from "../options/callbacks.ts";
import { TurnBudget } from "../limits/turn-budget.ts";
import { isPlainName, newId } from "../../base/id.ts";

/** One run of the loop: its parts, and its stop signals. Use `runToolChain`. */
export class Chain {
  readonly options: LoopOptions;
  readonly recorder: Recorder;
  readonly calls: TurnCalls;
  readonly turn: Turn;
  readonly ids: ChainIds;
  readonly startTime: number;
  readonly caller: Caller;
  /** Returns the tools that are offered now. */
  readonly offer: () => ToolOffer;
  readonly budget: TurnBudget;
  readonly listeners: Listeners;
  /** Rounds before the chain resumed. They are not counted in its limit of rounds. */
  readonly roundsBefore: number;
  /** The limit that was reached; the model then got no more tools. */
  limit: ReachedLimit | undefined;
  failure: ChainError | undefined;
  hasReservedCalls = false;
  /** The chain has ended or waits: it rejects further answers. */
  isOver = false;
  readonly #abort = new AbortController();

  constructor(
    options: LoopOptions,
    listeners: Listeners,
    sinks: Pick<RecorderOptions, "publish" | "hasListeners">,
  ) {
    this.options = options;
    this.offer = roundOffer(options);
    this.listeners = listeners;
    const { executor, resume, model } = options;
    this.budget = new TurnBudget({
      limits: options,
      model,
      clock: executor.gate.clock,
      elapsedBefore: resume?.state.elapsed ?? 0,
      countTokens: executor.gate.countTokens,
    });
    this.caller = callerWith(executor.gate.caller, options.caller);
    const now = executor.gate.clock.now();
    this.startTime = resume?.state.startTime ?? now;
    this.roundsBefore = resume?.adopted === true ? resume.state.round : 0;
    this.recorder = new Recorder({
      journal: options.journal,
      variables: executor.variables,
      ...sinks,
      onLost: ({ code, message }) => {
        this.failure ??= { code, message, phase: "chain" };
        this.#abort.abort(new Error(message));
        this.calls.cancelAll(message);
      },
    });
    const { compactAfter = defaultChainLimits.compactAfter } = options;
    const compaction = new ResultCompaction(compactAfter, (call) => canBeReadAgain(executor, call));
    this.turn = new Turn(this.recorder, resume?.state, compaction);
    this.ids = new ChainIds(options.contextMessages, (id) => this.calls.records.has(id));
    this.calls = new TurnCalls({
      executor,
      recorder: this.recorder,
      signal: this.#abort.signal,
      newItemId: () => this.ids.item(),
      checkToolResults: options.checkToolResults ?? true,
      startsReadsEarly: options.startsReadsEarly ?? false,
      requireApproval: options.requireApproval,
      onSettled: options.onSettled,
      offer: this.offer,
      // If there is a journal, the records are sufficient, and the results may need much memory.
      keepResults: options.journal === undefined,
      caller: this.caller,
      records: resume?.state.calls ?? [],
    });
  }

  /** Whether a tool's group is one of those that the caller asked for. */
  isAskedFor(toolId: string): boolean {
    const { groups, executor, deferral } = this.options;
    // The search finds only tools that the caller asked for.
    if (toolId === deferral?.searchTool) return true;
    const asked = typeof groups === "function" ? groups() : groups;
    const group = executor.gate.registry.tool(toolId)?.group.name;
    return asked === undefined || (group !== undefined && asked.includes(group));
  }

  /** Aborts when the chain is stopped. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: string): void {
    this.abortWith({ code: "aborted", message: reason, phase: "chain" });
  }

  abortWith(error: ChainError): void {
    if (this.isOver || this.#abort.signal.aborted) return;
    this.failure ??= error;
    this.#abort.abort(new Error(error.message));
    this.calls.cancelAll(error.message);
  }

  detach(reason: string): void {
    if (this.isOver) return;
    this.recorder.detach();
    this.failure ??= { code: "detached", message: reason, phase: "chain" };
    this.#abort.abort(new Error(reason));
    this.calls.cancelAll(reason);
  }

  /**
   * Stops the chain when one of its caller's signals aborts. Disposing the returned value ends
   * this.
   */
  watchSignals(): Disposable {
    const { signal, abortController } = this.options;
    return watchSignals([signal, abortController?.signal], (error) => this.abortWith(error));
  }

  /** Returns the ending of a chain that was stopped, or undefined if it was not. */
  stopped(): ChainEnding | undefined {
    return this.signal.aborted ? stopped(this.failure) : undefined;
  }

  /**
   * Returns the answer of the final tools in the last round, if there is one. `cut`: includes an
   * answer that was cut off.
   */
  finalMessage(cut = false): AssistantMessage | undefined {
    const requests = this.turn.lastRequests();
    if (requests.length === 0) return undefined;
    const { text, annotations } = this.calls.finalAnswer(requests, { cut });
    if (text === "") return undefined;
    return {
      role: "assistant",
      content: neutralise(text),
      ...(annotations.length > 0 && { annotations }),
    };
  }
}

/**
 * Creates ids that are unique in a chain, for its items and its calls. Providers may repeat ids of
 * calls or leave them empty.
 */
export class ChainIds {
  readonly #itemPrefix = `it_${newId("").slice(0, 8)}_`;
  #items = 0;
  readonly #given = new Set<string>();
  readonly #isKnown: (callId: string) => boolean;

  /**
   * @param isKnown whether the chain already has a call with this id
   */
  constructor(before: readonly Message[], isKnown: (callId: string) => boolean) {
    this.#isKnown = isKnown;
    for (const message of before)
      if (message.role === "assistant")
        for (const { id } of message.tool_calls ?? []) this.#given.add(id);
  }

  item(): string {
    return this.#itemPrefix + ++this.#items;
  }

  /** Returns the provider's own id if it is unique and not empty. */
  call(providerId: string): string {
    const isUnique = !this.#given.has(providerId) && !this.#isKnown(providerId);
    const id = isUnique && isPlainName(providerId) ? providerId : newId("call_");
    this.#given.add(id);
    return id;
  }
}

/** Returns a function name that every provider accepts, even if the model wrote none. */
export function callName(name: string): string {
  if (isPlainName(name)) return name;
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/**
 * Calls `stop` when one of the signals aborts or has aborted. Disposing the returned value ends
 * this.
 */
function watchSignals(
  signals: readonly (AbortSignal | undefined)[],
  stop: (error: ChainError) => void,
): Disposable {
  const removers: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const onAbort = () => stop(abortError(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    removers.push(() => signal.removeEventListener("abort", onAbort));
  }
  return { [Symbol.dispose]: () => removers.forEach((remove) => remove()) };
}
