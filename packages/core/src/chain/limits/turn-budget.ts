import type { Clock } from "../../base/clock.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Model, ToolDefinition } from "../../model/model.ts";
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
import { canonicalJson } from "../../json/json-value.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import { estimateTokens } from "../../text/truncate.ts";
import type { ContentPart } from "../../model/content-part.ts";

const lastAnswerMs = 60_000;

/** Counts how much of its limits a turn has used, and decides whether it may call more tools. */
export class TurnBudget {
  readonly #limits: ChainLimits;
  readonly #model: Model;
  readonly #clock: Clock;
  readonly #resumedAt: number;
  /** Running time before the chain resumed, in ms. */
  readonly #elapsedBefore: number;
  readonly failures: RepeatedFailures;
  /** Undefined if no limit needs an estimate. */
  readonly #estimate: UsageEstimate | undefined;
  #timeIsOver = false;
  /** The number of server-run calls, without calls that were rejected because of the limit. */
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
    this.#resumedAt = options.clock.monotonic();
    this.failures = new RepeatedFailures(options.limits);
    const { maxTokens = Infinity, maxCost = Infinity } = options.limits;
    const isBounded = maxTokens !== Infinity || maxCost !== Infinity;
    this.#estimate = isBounded ? new UsageEstimate(options.countTokens) : undefined;
  }

  /** Running time so far, in ms. */
  get elapsed(): number {
    return this.#elapsedBefore + Math.round(this.#clock.monotonic() - this.#resumedAt);
  }

  /** Calls `callback` when the time limit is reached. Returns a function that cancels the timer. */
  onTimeOver(callback: () => void): () => void {
    const left = (this.#limits.maxDurationMs ?? Infinity) - this.#elapsedBefore;
    if (!Number.isFinite(left)) return () => {};
    return this.#clock.after(Math.max(0, left), () => {
      this.#timeIsOver = true;
      callback();
    });
  }

  /**
   * Runs a step until the turn's time limit, and then stops it with a `timeout`. The last answer,
   * without tools, has at least a minute.
   *
   * @param asked the name of the model or the callback, for the error message
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
    const timeLimit = new AbortController();
    const message = `The turn's ${maxDurationMs / 1000} seconds had passed before ${asked} answered.`;
    const disarm = this.#clock.after(left, () =>
      timeLimit.abort(new ModelError({ code: "timeout", message })),
    );
    return step(AbortSignal.any([signal, timeLimit.signal])).finally(disarm);
  }

  /**
   * Returns the limit that the turn has reached.
   *
   * @param rounds the rounds of calls so far
   * @param ignoresCalls true ignores the limit on calls, because the client's own tools can still run
   */
  reached(rounds: number, usage: Usage, ignoresCalls = true): ReachedLimit | undefined {
    const calls = ignoresCalls ? -1 : this.#calls;
    const elapsed = this.#timeIsOver ? Infinity : this.#timed();
    const spent = { rounds, calls, usage, elapsed };
    return this.failures.reached ?? reachedLimit(this.#limits, this.#model, spent);
  }

  /**
   * Returns the usage of a round for a limit of tokens or cost: estimated if the model does not
   * report it.
   */
  usageOf(
    { usage, message }: { readonly usage: Usage; readonly message: Message },
    request: readonly Message[],
    tools: readonly ToolDefinition[],
  ): Usage {
    return this.#estimate?.of(usage, request, tools, message) ?? usage;
  }

  /** The running time so far, or 0 without a time limit, to avoid a read of the clock. */
  #timed(): number {
    return this.#limits.maxDurationMs === undefined ? 0 : this.elapsed;
  }

  /** Counts a call, the `n`th of its round, or returns the error if a limit excludes it. */
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

  /** Counts the calls of a resumed turn. */
  restore(records: Iterable<CallRecord>): void {
    for (const record of records) {
      const { owner, parentCallId, result } = record;
      if (owner === "server" && parentCallId === undefined && !isBeyondLimit(result?.error))
        this.#calls++;
    }
  }

  /** Counts the failures in earlier rounds of a resumed turn. */
  restoreFailures(records: Iterable<CallRecord>): void {
    for (const record of records) this.failures.add(record);
    this.failures.takeAdvice();
  }
}

/** The number of failures of one call after which the model gets advice. */
const adviseFrom = 2;

interface Failures {
  readonly name: string;
  readonly count: number;
}

/**
 * Counts calls that fail repeatedly with the same arguments: first the model gets advice, then it
 * gets no more tools. A success of the same call resets its count. Failures that are `retryable`,
 * stopped calls and calls beyond a limit do not count.
 */
class RepeatedFailures {
  readonly #max: number;
  readonly #failures = new Map<string, Failures>();
  #pendingAdvice: Failures[] = [];
  #reached: ReachedLimit | undefined;

  constructor({ maxRepeatedFailures = defaultChainLimits.maxRepeatedFailures }: ChainLimits) {
    this.#max = maxRepeatedFailures;
  }

  get reached(): ReachedLimit | undefined {
    return this.#reached;
  }

  add(record: CallRecord): void {
    if (record.parentCallId !== undefined) return;
    const status = resultStatusOf[record.status];
    if (status === "success") {
      if (this.#failures.size > 0) this.#failures.delete(keyOf(record));
      return;
    }
    if (!isFailure(record)) return;
    const { name } = record;
    const key = keyOf(record);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const failures = { name, count };
    this.#failures.set(key, failures);
    if (count >= adviseFrom) this.#pendingAdvice.push(failures);
    if (count >= this.#max)
      this.#reached ??= {
        limit: "repeats",
        message: `${name} failed ${count} times with the same arguments.`,
      };
  }

  /** Returns the next advice for the model, once. */
  takeAdvice(): string | undefined {
    const pending = this.#pendingAdvice;
    if (pending.length === 0) return undefined;
    this.#pendingAdvice = [];
    const counts = new Map(pending.map(({ name, count }) => [name, count]));
    const lines = [...counts].map(([name, count]) => `${name} has now failed ${count} times`);
    return `${lines.join(", ")} in this turn with the same arguments. Do not repeat it as it is: change the arguments, try another way, or answer.`;
  }
}

function isFailure({ status, result }: CallRecord): boolean {
  const error = result?.error;
  if (isBeyondLimit(error) || error?.retryable === true) return false;
  return (
    status === "failed" ||
    status === "timed_out" ||
    status === "not_found" ||
    status === "execution_rejected" ||
    status === "result_rejected"
  );
}

function keyOf({ name, args, argumentsText }: CallRecord): string {
  if (args === undefined) return `${name} ${argumentsText.trim()}`;
  try {
    return `${name} ${canonicalJson(args)}`;
  } catch {
    // The arguments are nested too deeply for the canonical form.
    return `${name} ${argumentsText.trim()}`;
  }
}

/** The approximate tokens of an image or a page, which hardly depend on the size of the data. */
const tokensOfData = 1_000;

/**
 * Estimates the tokens of a request and its answer if the provider did not count them; a usage of 0
 * is treated as missing.
 *
 * @param countTokens if it returns an invalid count, four characters count as a token
 */
class UsageEstimate {
  readonly #countTokens: (text: string) => number;
  /** The same messages are in every round's request. */
  readonly #counted = new WeakMap<object, number>();

  constructor(countTokens: (text: string) => number) {
    this.#countTokens = countTokens;
  }

  /** Returns the usage with estimates in place of missing counts; `estimated` marks it then. */
  of(
    usage: Usage,
    request: readonly Message[],
    tools: readonly ToolDefinition[],
    answer: Message,
  ): Usage {
    if (usage.inputTokens > 0 && usage.outputTokens > 0) return usage;
    const inputTokens = usage.inputTokens || this.#sum(request) + this.#sum(tools);
    const outputTokens = usage.outputTokens || this.#tokens(answer);
    return { ...usage, inputTokens, outputTokens, estimated: true };
  }

  #sum(entries: readonly (Message | ToolDefinition)[]): number {
    return entries.reduce((sum, entry) => sum + this.#tokens(entry), 0);
  }

  #tokens(entry: Message | ToolDefinition): number {
    const before = this.#counted.get(entry);
    if (before !== undefined) return before;
    const text = "role" in entry ? textOf(entry) : JSON.stringify(entry);
    const counted = this.#countTokens(text);
    const isCount = Number.isFinite(counted) && counted >= 0;
    const parts = "role" in entry ? partsOf(entry) : [];
    const data = parts.filter(({ type }) => type === "image" || type === "file").length;
    const tokens = (isCount ? counted : estimateTokens(text)) + data * tokensOfData;
    this.#counted.set(entry, tokens);
    return tokens;
  }
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === "user") return typeof message.content === "string" ? [] : message.content;
  return message.role === "tool" ? (message.parts ?? []) : [];
}

function textOf(message: Message): string {
  const { content } = message;
  const texts = [typeof content === "string" ? content : ""];
  for (const part of partsOf(message)) if (part.type === "text") texts.push(part.text);
  if (message.role === "assistant") {
    for (const { text } of message.reasoning ?? []) texts.push(text);
    for (const { function: called } of message.tool_calls ?? [])
      texts.push(called.name, called.arguments);
  }
  return texts.join("\n");
}
