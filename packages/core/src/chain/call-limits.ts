import type { ToolErrorData } from "../tool/tool-error.ts";

/** What a model is told of calls that were not run because there were too many. */
export const roundLimit: ToolErrorData = {
  code: "round_limit",
  message: "It was not run: no more tools may be called in this turn.",
};

export function tooManyInRound(limit: number): ToolErrorData {
  const message = `It was not run: one round may make ${limit} calls. Ask for it again in the next.`;
  return { code: "too_many_calls", message };
}

export function tooManyInTurn(limit: number): ToolErrorData {
  const message = `It was not run: this turn may make ${limit} tool calls. Answer with what you have.`;
  return { code: "call_limit", message };
}
