import type { Clock } from "../../base/clock.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Model } from "../../model/model.ts";
import type { Usage } from "../../model/usage.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import {
  beyondLimit,
  isBeyondLimit,
  tooManyInRound,
  tooManyInTurn,
  type ChainLimits,
  defaultChainLimits,
  reachedLimit,
} from "./chain-limits.ts";
import type { ReachedLimit } from "../journal/chain-result.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";
import { UsageEstimate } from "./estimate-usage.ts";
import { RepeatedFailures } from "./repeated-failures.ts";

const lastAnswerMs = 60_000;

/** What a turn has used of its limits, and whether it may go on with tools. */
export class TurnBudget {
  readonly #limits: ChainLimits;
  readonly #model: Model;
  readonly #clock: Clock;
  readonly #resumedAt: number;
  /** Running time before, in ms. */
  readonly #elapsedBefore: number;
  readonly #failures: RepeatedFailures;
  /** Absent where no limit needs it: then nothing is counted. */
  readonly #estimate: UsageEstimate | undefined;
  #timeIsOver = false;
  /** Server-run calls, without those that were one too many. */
  #calls = 0;

  constructor(options: {
    readonly limits: ChainLimits;
    readonly model: Model;
    readonly clock: Clock;
    readonly elapsedBefore: number;
    readonly countTokens: (text: string) => number;
  }) {
    this.#limits = options.limits;
    this.#model = options.model;
    this.#clock = options.clock;
    this.#elapsedBefore = options.elapsedBefore;
    this.#resumedAt = options.clock.now();
    this.#failures = new RepeatedFailures(options.limits);
    const { maxTokens = Infinity, maxCost = Infinity } = options.limits;
    const isBounded = maxTokens !== Infinity || maxCost !== Infinity;
    this.#estimate = isBounded ? new UsageEstimate(options.countTokens) : undefined;
  }

  /** Running time so far, in ms. */
  get elapsed(): number {
    return this.#elapsedBefore + this.#clock.now() - this.#resumedAt;
  }

  /** Calls back once the time is over; returns what cancels that. */
  onTimeOver(callback: () => void): () => void {
    const left = (this.#limits.maxDurationMs ?? Infinity) - this.#elapsedBefore;
    if (!Number.isFinite(left)) return () => {};
    return this.#clock.after(Math.max(0, left), () => {
      this.#timeIsOver = true;
      callback();
    });
  }

  /**
   * Runs a step for as long as the turn's time lasts, and stops it with a `timeout` when that ends. The
   * last answer, without tools, has at least a minute.
   *
   * @param asked the name for the error message: of the model, or of a callback
   */
  withDeadline<T>(
    signal: AbortSignal,
    last: boolean,
    step: (signal: AbortSignal) => Promise<T>,
    asked = "the model",
  ): Promise<T> {
    const { maxDurationMs = Infinity } = this.#limits;
    if (maxDurationMs === Infinity) return step(signal);
    const left = Math.max(maxDurationMs - this.elapsed, last ? lastAnswerMs : 0);
    const over = new AbortController();
    const message = `The turn's ${maxDurationMs / 1000} seconds were over before ${asked} had answered.`;
    const disarm = this.#clock.after(left, () =>
      over.abort(new ModelError({ code: "timeout", message })),
    );
    return step(AbortSignal.any([signal, over.signal])).finally(disarm);
  }

  /**
   * The limit that the turn has come to.
   *
   * @param rounds of calls so far
   * @param goesOn calls that are used up end nothing: a client has tools of its own
   */
  reached(rounds: number, usage: Usage, goesOn = true): ReachedLimit | undefined {
    const calls = goesOn ? -1 : this.#calls;
    const elapsed = this.#timeIsOver ? Infinity : this.#timed();
    const spent = { rounds, calls, usage, elapsed };
    return this.#failures.reached ?? reachedLimit(this.#limits, this.#model, spent);
  }

  /** The usage of a round for a limit of tokens or cost: estimated if the model does not report it. */
  usageOf(
    { usage, message }: { readonly usage: Usage; readonly message: Message },
    request: readonly Message[],
    tools: readonly ToolDefinition[],
  ): Usage {
    return this.#estimate?.of(usage, request, tools, message) ?? usage;
  }

  /** Nobody looks at the clock where time has no limit. */
  #timed(): number {
    return this.#limits.maxDurationMs === undefined ? 0 : this.elapsed;
  }

  /** Counts a call, the `n`th of its round; or returns the error if a limit excludes it. */
  admitCall(
    { owner }: Pick<CallRecord, "owner">,
    n: number,
    limit: ReachedLimit | undefined,
  ): ToolErrorData | undefined {
    const { maxCallsPerRound = defaultChainLimits.maxCallsPerRound, maxToolCalls } = this.#limits;
    if (limit !== undefined) return beyondLimit(limit);
    if (n > maxCallsPerRound) return tooManyInRound(maxCallsPerRound);
    if (owner === "client") return undefined;
    if (maxToolCalls !== undefined && this.#calls >= maxToolCalls)
      return tooManyInTurn(maxToolCalls);
    this.#calls++;
    return undefined;
  }

  /** A call of this turn has ended. */
  addEnded(record: CallRecord): void {
    this.#failures.add(record);
  }

  /** Counts the calls of a resumed turn; the model was told of them earlier. */
  restore(records: Iterable<CallRecord>): void {
    for (const record of records) {
      const { owner, parentCallId, result } = record;
      if (owner === "server" && parentCallId === undefined && !isBeyondLimit(result?.error))
        this.#calls++;
    }
  }

  /** Counts the failures in earlier rounds of a resumed turn. */
  restoreFailures(records: Iterable<CallRecord>): void {
    for (const record of records) this.#failures.add(record);
    this.#failures.takeAdvice();
  }

  /** What the model is to be told of its calls next, once. */
  takeAdvice(): string | undefined {
    return this.#failures.takeAdvice();
  }
}
