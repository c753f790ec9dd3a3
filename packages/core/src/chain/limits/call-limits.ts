import type { ToolErrorData } from "../../base/errors.ts";
import type { LimitName, ReachedLimit } from "../journal/chain-result.ts";

const codes: { readonly [name in LimitName]: string } = {
  rounds: "round_limit",
  calls: "call_limit",
  tokens: "token_limit",
  time: "time_limit",
  cost: "cost_limit",
  repeats: "repeat_limit",
};

const tooMany = "too_many_calls";

/** What a model is told of a call that was not run because a limit of the turn is reached. */
export function beyondLimit({ limit, message }: ReachedLimit): ToolErrorData {
  const told = `It was not run: no more tools may be called in this turn. ${message}`;
  return { code: codes[limit], message: told };
}

export function tooManyInRound(limit: number): ToolErrorData {
  const message = `It was not run: one round may make ${limit} calls. Ask for it again in the next.`;
  return { code: tooMany, message };
}

export function tooManyInTurn(limit: number): ToolErrorData {
  const message = `It was not run: this turn may make ${limit} tool calls. Answer with what you have.`;
  return { code: codes.calls, message };
}

/** Whether a call was refused for the number of calls alone: nothing is wrong with it. */
export function isBeyondLimit(error: ToolErrorData | undefined): boolean {
  return error !== undefined && refusals.has(error.code);
}

const refusals: ReadonlySet<string> = new Set([tooMany, ...Object.values(codes)]);
