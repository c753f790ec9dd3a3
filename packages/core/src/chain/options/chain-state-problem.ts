import { isObject } from "../../json/json-value.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import { messageProblem, partsProblem } from "../../model/message.ts";
import {
  countProblem,
  listProblem,
  type Members,
  numberProblem,
  type ShapeProblem,
  problemText,
  textProblem,
} from "../../model/shape-problem.ts";

/**
 * Why this is no state of a chain, in words: it comes from wherever a program kept it. What is
 * not looked at here may be missing.
 */
export function chainStateProblem(state: unknown): string | undefined {
  const problem = firstProblem(state);
  if (problem === undefined) return undefined;
  return `The state of a chain cannot be carried on: ${problemText(problem)}. Give the state that was in a chain's result, or what chainStateOf makes of a journal.`;
}

/** What of a turn's messages and calls is none. */
export function turnProblem(turn: Members, path: string): ShapeProblem | undefined {
  return (
    listProblem(turn["messages"], `${path}.messages`, messageProblem) ??
    listProblem(turn["calls"], `${path}.calls`, call)
  );
}

function firstProblem(state: unknown): ShapeProblem | undefined {
  if (!isObject(state)) return { path: "state", value: state, expected: "an object" };
  const { usageByRound = [] } = state;
  return (
    countProblem(state, "round", "state") ??
    numberProblem(state, "startTime", "state") ??
    numberProblem(state, "elapsed", "state") ??
    usage(state["usage"], "state.usage") ??
    turnProblem(state, "state") ??
    twice(state["calls"] as readonly Members[]) ??
    listProblem(usageByRound, "state.usageByRound", roundUsage)
  );
}

/** What a call's record may have, as objects. */
const objects = ["result", "approval", "args"] as const;

function call(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call's record" };
  const { status, result, repairs } = value;
  if (typeof status !== "string" || !Object.hasOwn(resultStatusOf, status))
    return { path: `${path}.status`, value: status, expected: "the status of a call" };
  for (const key of objects)
    if (value[key] !== undefined && !isObject(value[key]))
      return { path: `${path}.${key}`, value: value[key], expected: "an object" };
  if (!Array.isArray(repairs))
    return { path: `${path}.repairs`, value: repairs, expected: "a list" };
  return (
    textProblem(value, "callId", path) ??
    textProblem(value, "name", path) ??
    textProblem(value, "argumentsText", path) ??
    textProblem(value, "idempotencyKey", path) ??
    countProblem(value, "round", path) ??
    numberProblem(value, "proposedAt", path) ??
    (isObject(result) ? callResult(result, `${path}.result`) : undefined)
  );
}

const tokenCounts = ["definition", "arguments", "shown", "withheld"] as const;

function callResult(value: Members, path: string): ShapeProblem | undefined {
  const { tokens } = value;
  if (!isObject(tokens)) return { path: `${path}.tokens`, value: tokens, expected: "counts" };
  for (const key of tokenCounts) {
    const problem = numberProblem(tokens, key, `${path}.tokens`);
    if (problem !== undefined) return problem;
  }
  return (
    textProblem(value, "finalText", path) ??
    (value["preview"] === undefined ? undefined : textProblem(value, "preview", path)) ??
    (value["parts"] === undefined ? undefined : partsProblem(value, "parts", path))
  );
}

function twice(calls: readonly Members[]): ShapeProblem | undefined {
  const ids = new Set<unknown>();
  for (const [n, { callId }] of calls.entries()) {
    if (ids.has(callId))
      return { path: `state.calls[${n}].callId`, value: callId, expected: "that of no other call" };
    ids.add(callId);
  }
  return undefined;
}

function roundUsage(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "an object" };
  return countProblem(value, "round", path) ?? usage(value["usage"], `${path}.usage`);
}

function usage(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "counts of tokens" };
  return numberProblem(value, "inputTokens", path) ?? numberProblem(value, "outputTokens", path);
}
