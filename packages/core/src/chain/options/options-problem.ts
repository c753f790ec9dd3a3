import { isObject } from "../../json/json-value.ts";
import { nearestNames } from "../../text/nearest-name.ts";
import { shortJson } from "../../json/short-json.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { namePattern } from "../../tool/tool-problem.ts";
import type { ToolChainCallbacks } from "./tool-chain-callbacks.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

const callbackNames: { readonly [name in keyof Required<ToolChainCallbacks>]: true } = {
  onToolCallStart: true,
  onToolCallComplete: true,
  onLLMResponseUpdate: true,
  onLLMResponseComplete: true,
  onError: true,
  onBeforeSendToLLM: true,
};

/** Says what an option should have been; undefined where it may be so. */
type Check = (value: unknown) => string | undefined;

const anything: Check = () => undefined;
const aFunction: Check = (value) => (typeof value === "function" ? undefined : "a function");
const anObject: Check = (value) => (isObject(value) ? undefined : "an object");
const has =
  (member: string, expected: string): Check =>
  (value) =>
    (value as { readonly [key: string]: unknown })[member] === undefined ? expected : undefined;

/** Those with `anything` are checked where they are used. */
const checks: { readonly [name in keyof Required<ToolChainOptions>]: Check } = {
  executor: has("gate", "a ToolExecutor"),
  model: has("stream", "a model: an object with an id and a function stream"),
  contextMessages: anything,
  inputMessages: anything,
  systemPrompt: anything,
  groups: (value) =>
    typeof value === "function" || Array.isArray(value)
      ? undefined
      : "a list of groups' names, or a function that gives one",
  allowTool: aFunction,
  clientTools: (value) => (typeof value === "function" ? undefined : clientToolsProblem(value)),
  chatOption: anObject,
  signal: has("aborted", "an AbortSignal"),
  abortController: has("signal", "an AbortController"),
  journal: has("commit", "a journal: an object with a function commit"),
  runId: (value) => (typeof value === "string" ? undefined : "a text"),
  caller: anObject,
  checkToolResults: (value) => (typeof value === "boolean" ? undefined : "true or false"),
  requireApproval: aFunction,
  onEvent: aFunction,
  callbacks: callbacksProblem,
  firstResponse: anything,
  resume: anObject,
  maxRounds: anything,
  maxCallsPerRound: anything,
  maxToolCalls: anything,
  maxTokens: anything,
  maxDurationMs: anything,
  maxCost: anything,
  maxRepeatedFailures: anything,
  compactAfter: anything,
};

/** Why a chain cannot be run with these options, and what to do; undefined where it can. */
export function optionsProblem(options: ToolChainOptions): string | undefined {
  if (!isObject(options)) return problem("what the loop is given", options, "its options");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) return unknownName(name, "option of the loop", checks);
    // Who has nothing to say for an option may say null.
    const expected = value === null ? undefined : checks[name as keyof typeof checks](value);
    if (expected !== undefined) return problem(name, value, expected);
  }
  for (const name of ["executor", "model"] as const) {
    const expected = (options[name] ?? undefined) === undefined ? checks[name]({}) : undefined;
    if (expected !== undefined) return problem(name, options[name], expected);
  }
  const { groups, executor } = options;
  return typeof groups === "function" ? undefined : groupsProblem(groups ?? [], executor);
}

/** Which of these groups there is none of; undefined where all are there. */
export function groupsProblem(
  groups: readonly unknown[],
  { gate }: ToolExecutor,
): string | undefined {
  for (const name of groups) {
    const text = typeof name === "string" ? name : "";
    if (gate.registry.group(text) !== undefined) continue;
    const known = gate.registry.groups().map((group) => group.name);
    const [nearest] = nearestNames(text, known, 1);
    const there = known.length === 0 ? "It has none." : `There are: ${known.join(", ")}.`;
    const hint = nearest === undefined ? there : `Did you mean ${nearest}?`;
    return `${shortJson(name)} in groups is no group of the executor. ${hint}`;
  }
  return undefined;
}

/** What tools of a client should have been; undefined where they are such. */
export function clientToolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return "a list of definitions, or a function that gives one";
  const names = new Set<unknown>();
  for (const [n, tool] of (tools as readonly unknown[]).entries()) {
    const spec = isObject(tool) ? tool["function"] : undefined;
    const name = isObject(spec) ? spec["name"] : undefined;
    const where = `definitions such as {"type":"function","function":{"name":"Ask"}}; number ${n + 1}`;
    if (typeof name !== "string" || !namePattern.test(name))
      return `${where} has the name ${shortJson(name)}, which does not fit ${namePattern.source}, and so no provider takes it`;
    if (names.has(name)) return `${where} has the name of another, ${name}`;
    names.add(name);
  }
  return undefined;
}

function callbacksProblem(callbacks: unknown): string | undefined {
  if (!isObject(callbacks)) return "an object with functions";
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback === undefined || callback === null) continue;
    if (!Object.hasOwn(callbackNames, name))
      return `an object with functions. ${unknownName(name, "callback", callbackNames)}`;
    if (typeof callback !== "function") return `an object with functions; ${name} is none`;
  }
  return undefined;
}

function unknownName(name: string, what: string, known: object): string {
  const [nearest] = nearestNames(name, Object.keys(known), 1);
  const hint = nearest === undefined ? "Leave it out." : `Did you mean ${nearest}?`;
  return `${shortJson(name)} is no ${what}. ${hint}`;
}

function problem(name: string, value: unknown, expected: string): string {
  const given = typeof value === "object" && value !== null ? "this" : shortJson(value);
  return `${name} cannot be ${given}: it should be ${expected}${/[.?]$/.test(expected) ? "" : "."}`;
}
