import { isObject } from "../arguments/json-type.ts";
import { shortJson } from "../arguments/short-json.ts";
import { resultStatusOf } from "../executor/call-status.ts";

/**
 * Why this is no state of a chain, in words: it comes from wherever a program kept it. What is
 * not looked at here may be missing.
 */
export function chainStateProblem(state: unknown): string | undefined {
  const problem = firstProblem(state);
  if (problem === undefined) return undefined;
  const { path, value, expected } = problem;
  return `The state of a chain cannot be carried on: ${path} is ${shortJson(value)}, and should be ${expected}. Give the state that was in a chain's result, or what chainStateOf makes of a journal.`;
}

interface Problem {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

function firstProblem(state: unknown): Problem | undefined {
  if (!isObject(state)) return { path: "state", value: state, expected: "an object" };
  const { usageByRound = [] } = state;
  return (
    count(state, "round", "state") ??
    number(state, "startTime", "state") ??
    number(state, "elapsed", "state") ??
    usage(state["usage"], "state.usage") ??
    list(state["messages"], "state.messages", message) ??
    list(state["calls"], "state.calls", call) ??
    twice(state["calls"] as readonly Members[]) ??
    list(usageByRound, "state.usageByRound", roundUsage)
  );
}

function message(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a message" };
  const { role, content, tool_calls: calls = [] } = value;
  if (!roles.has(role))
    return { path: `${path}.role`, value: role, expected: [...roles].join(", ") };
  const isList = Array.isArray(content) && role !== "assistant";
  if (typeof content !== "string" && !isList)
    return { path: `${path}.content`, value: content, expected: "a text" };
  return list(calls, `${path}.tool_calls`, request);
}

const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);

function request(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call" };
  const called = value["function"];
  if (!isObject(called)) return { path: `${path}.function`, value: called, expected: "an object" };
  return (
    text(value, "id", path) ??
    text(called, "name", `${path}.function`) ??
    text(called, "arguments", `${path}.function`)
  );
}

function call(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call's record" };
  const { status, result, approval, args, repairs } = value;
  if (typeof status !== "string" || !Object.hasOwn(resultStatusOf, status))
    return { path: `${path}.status`, value: status, expected: "the status of a call" };
  for (const [key, member] of Object.entries({ result, approval, args }))
    if (member !== undefined && !isObject(member))
      return { path: `${path}.${key}`, value: member, expected: "an object" };
  if (!Array.isArray(repairs))
    return { path: `${path}.repairs`, value: repairs, expected: "a list" };
  return (
    text(value, "callId", path) ??
    text(value, "name", path) ??
    text(value, "argumentsText", path) ??
    text(value, "idempotencyKey", path) ??
    count(value, "round", path) ??
    number(value, "proposedAt", path)
  );
}

function twice(calls: readonly Members[]): Problem | undefined {
  const ids = new Set<unknown>();
  for (const [n, { callId }] of calls.entries()) {
    if (ids.has(callId))
      return { path: `state.calls[${n}].callId`, value: callId, expected: "that of no other call" };
    ids.add(callId);
  }
  return undefined;
}

function roundUsage(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "an object" };
  return count(value, "round", path) ?? usage(value["usage"], `${path}.usage`);
}

function usage(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "counts of tokens" };
  return number(value, "inputTokens", path) ?? number(value, "outputTokens", path);
}

type Members = { readonly [key: string]: unknown };

function text(of: Members, key: string, path: string): Problem | undefined {
  const value = of[key];
  if (typeof value === "string") return undefined;
  return { path: `${path}.${key}`, value, expected: "a text" };
}

function count(of: Members, key: string, path: string): Problem | undefined {
  const value = of[key];
  if (Number.isSafeInteger(value) && (value as number) >= 0) return undefined;
  return { path: `${path}.${key}`, value, expected: "a whole number from 0 on" };
}

function number(of: Members, key: string, path: string): Problem | undefined {
  const value = of[key];
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  return { path: `${path}.${key}`, value, expected: "a number" };
}

function list(
  value: unknown,
  path: string,
  check: (member: unknown, path: string) => Problem | undefined,
): Problem | undefined {
  if (!Array.isArray(value)) return { path, value, expected: "a list" };
  for (const [n, member] of value.entries()) {
    const problem = check(member, `${path}[${n}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
