import { shortJson } from "../../json/short-json.ts";
import type { Model } from "../../model/model.ts";
import { type Usage, arePrices, costOf } from "../../model/usage.ts";
import type { ChainError, ReachedLimit, LimitName } from "../journal/chain-result.ts";
import type { ToolErrorData } from "../../base/errors.ts";

/**
 * The limits of a turn. When a limit is reached, the model is asked for a final answer without
 * tools, and its excluded calls get an error result. `Infinity` removes a limit.
 */
export interface ChainLimits {
  /** Rounds of calls. 0: no call runs. @default 10 */
  readonly maxRounds?: number;
  /** Calls of one round that run; further calls are rejected. @default 64 */
  readonly maxCallsPerRound?: number;
  /** Server-run calls of the whole turn; further calls are rejected. @default no limit */
  readonly maxToolCalls?: number;
  /**
   * Tokens that the model reads and writes, as counted by the provider or, if it reports none, by
   * the executor.
   * @default no limit
   */
  readonly maxTokens?: number;
  /**
   * Ms of running time, without the time suspended for users and clients. At the limit, running
   * calls are stopped, and the model has a minute for its last answer. If a model step is running
   * at the limit, it is stopped, and the chain ends as `timeout`. @default no limit
   */
  readonly maxDurationMs?: number;
  /**
   * Cost in the currency of the model's prices. A model without prices is rejected. @default no
   * limit
   */
  readonly maxCost?: number;
  /** Failures of one call with the same arguments, without `retryable` errors. @default 3 */
  readonly maxRepeatedFailures?: number;
  /**
   * Tokens of the turn's results in one request to the model. Beyond this limit, each result of the
   * oldest rounds is shortened to its beginning and its variable's name; the turn continues.
   * @default 100000
   */
  readonly compactAfter?: number;
}

/** The limits of a chain that sets none. */
export const defaultChainLimits = {
  maxRounds: 10,
  maxCallsPerRound: 64,
  maxRepeatedFailures: 3,
  compactAfter: 100_000,
} as const;

/** A turn's use of its limits. */
export interface Spent {
  readonly rounds: number;
  readonly calls: number;
  readonly usage: Usage;
  /** Ms. */
  readonly elapsed: number;
}

/** Returns the first limit that the turn has reached, or `undefined` if it has reached none. */
export function reachedLimit(
  limits: ChainLimits,
  { prices }: Model,
  { rounds, calls, usage, elapsed }: Spent,
): ReachedLimit | undefined {
  const { maxRounds = defaultChainLimits.maxRounds, maxToolCalls, maxTokens, maxCost } = limits;
  const { maxDurationMs } = limits;
  if (rounds >= maxRounds)
    return {
      limit: "rounds",
      message: `This turn has used up its ${count(maxRounds, "round")} of calls.`,
    };
  if (maxToolCalls !== undefined && calls >= maxToolCalls)
    return {
      limit: "calls",
      message: `This turn has used up its ${count(maxToolCalls, "tool call")}.`,
    };
  if (maxTokens !== undefined && usage.inputTokens + usage.outputTokens >= maxTokens)
    return { limit: "tokens", message: `This turn has used up its ${maxTokens} tokens.` };
  if (maxDurationMs !== undefined && elapsed >= maxDurationMs)
    return { limit: "time", message: `This turn has used up its ${maxDurationMs / 1000} seconds.` };
  if (maxCost !== undefined && prices !== undefined && costOf(usage, prices) >= maxCost)
    return { limit: "cost", message: `This turn has used up its budget of ${maxCost}.` };
  return undefined;
}

/** Returns the error of the first invalid limit, or `undefined` if all are valid. */
export function limitsProblem(limits: ChainLimits, model: Model): ChainError | undefined {
  for (const name of names) {
    const value = limits[name];
    if (value === undefined || isLimit(value, !ofMeasures.has(name))) continue;
    const kind = ofMeasures.has(name) ? "number" : "whole number";
    return invalid(`${name} must be a ${kind} from 0 on, or Infinity, not ${shortJson(value)}.`);
  }
  const { maxCost } = limits;
  if (maxCost === undefined || maxCost === Infinity || arePrices(model.prices)) return undefined;
  return invalid(
    `maxCost is ${maxCost}, but no prices are known for the model ${model.id}. Configure its prices, or set maxTokens instead.`,
  );
}

/** Limits that are measured, not counted. */
const ofMeasures: ReadonlySet<string> = new Set(["maxDurationMs", "maxCost"]);

function isLimit(value: unknown, whole: boolean): boolean {
  if (typeof value !== "number" || !(value >= 0)) return false;
  return !whole || value === Infinity || Number.isInteger(value);
}

const names = [
  "maxRounds",
  "maxCallsPerRound",
  "maxToolCalls",
  "maxTokens",
  "maxDurationMs",
  "maxCost",
  "maxRepeatedFailures",
  "compactAfter",
] as const satisfies readonly (keyof ChainLimits)[];

function invalid(message: string): ChainError {
  return { code: "invalid_limits", message, phase: "chain" };
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

const codes: { readonly [name in LimitName]: string } = {
  rounds: "round_limit",
  calls: "call_limit",
  tokens: "token_limit",
  time: "time_limit",
  cost: "cost_limit",
  repeats: "repeat_limit",
};

const tooMany = "too_many_calls";

/** Returns the error for the model of a call that was not run because the turn reached a limit. */
export function beyondLimit({ limit, message }: ReachedLimit): ToolErrorData {
  const fullMessage = `It was not run: no more tools may be called in this turn. ${message}`;
  return { code: codes[limit], message: fullMessage };
}

/** Returns the error of a call beyond the limit on calls in a round. */
export function tooManyInRound(limit: number): ToolErrorData {
  const message = `It was not run: a round can make at most ${limit} calls. Call it again in the next round.`;
  return { code: tooMany, message };
}

/** Returns the error of a call beyond the limit on calls in a turn. */
export function tooManyInTurn(limit: number): ToolErrorData {
  const message = `It was not run: a turn can make at most ${limit} tool calls. Answer with what you have.`;
  return { code: codes.calls, message };
}

/** Whether a call was rejected only because a limit was reached. */
export function isBeyondLimit(error: ToolErrorData | undefined): boolean {
  return error !== undefined && refusals.has(error.code);
}

const refusals: ReadonlySet<string> = new Set([tooMany, ...Object.values(codes)]);
