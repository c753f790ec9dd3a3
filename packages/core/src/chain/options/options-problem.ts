import type { $ZodIssue } from "zod/v4/core";
import { z } from "zod/mini";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { isObject } from "../../json/json-value.ts";
import { valueAt } from "../../json/schema-problem.ts";
import { shortJson } from "../../json/short-json.ts";
import { nearestNames } from "../../text/nearest-name.ts";
import { namePattern } from "../../tool/tool-problem.ts";
import type { ToolChainCallbacks } from "./tool-chain-callbacks.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

type Shape<T> = { readonly [name in keyof Required<T>]: z.ZodMiniType };

const isFunction = (value: unknown): boolean => typeof value === "function";
const has = (member: string, expected: string) =>
  z.custom((value) => valueAt(value, [member]) !== undefined, expected);

const aFunction = z.nullish(z.custom(isFunction, "a function"));
const object = z.nullish(z.custom(isObject, "an object"));
/** An option that is checked by the code that uses it. */
const anything = z.optional(z.unknown());

const callbacks = z.strictObject(
  {
    onToolCallStart: aFunction,
    onToolCallComplete: aFunction,
    onLLMResponseUpdate: aFunction,
    onLLMResponseComplete: aFunction,
    onError: aFunction,
    onBeforeSendToLLM: aFunction,
  } satisfies Shape<ToolChainCallbacks>,
  "an object with functions",
);

// An option that is null counts as not given.
const chainOptions = z.strictObject(
  {
    executor: has("gate", "a ToolExecutor"),
    model: has("stream", "a model: an object with an id and a function stream"),
    contextMessages: anything,
    inputMessages: anything,
    systemPrompt: anything,
    groups: z.nullish(
      z.custom(
        (value) => isFunction(value) || Array.isArray(value),
        "a list of groups' names, or a function that gives one",
      ),
    ),
    allowTool: aFunction,
    clientTools: z.nullish(
      z.unknown().check(({ value, issues }) => {
        const expected = isFunction(value) ? undefined : clientToolsProblem(value);
        if (expected !== undefined)
          issues.push({ code: "custom", message: expected, input: value });
      }),
    ),
    chatOption: object,
    signal: z.nullish(has("aborted", "an AbortSignal")),
    abortController: z.nullish(has("signal", "an AbortController")),
    journal: z.nullish(has("commit", "a journal: an object with a function commit")),
    runId: z.nullish(z.string("text")),
    caller: object,
    checkToolResults: z.nullish(z.boolean("true or false")),
    requireApproval: aFunction,
    onEvent: aFunction,
    callbacks: z.nullish(callbacks),
    firstResponse: anything,
    resume: object,
    maxRounds: anything,
    maxCallsPerRound: anything,
    maxToolCalls: anything,
    maxTokens: anything,
    maxDurationMs: anything,
    maxCost: anything,
    maxRepeatedFailures: anything,
    compactAfter: anything,
  } satisfies Shape<ToolChainOptions>,
  "an object",
);

/** Returns why a chain cannot run with these options, and what to do, or `undefined` if it can. */
export function optionsProblem(options: ToolChainOptions): string | undefined {
  const [issue] = z.safeParse(chainOptions, options).error?.issues ?? [];
  if (issue !== undefined) return issueText(issue, options);
  const { groups, executor } = options;
  return typeof groups === "function" ? undefined : groupsProblem(groups ?? [], executor);
}

function issueText(issue: $ZodIssue, options: unknown): string {
  const [name = "options", callback] = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const isOption = issue.path.length === 0;
    const [nearest] = nearestNames(
      key,
      Object.keys((isOption ? chainOptions : callbacks).shape),
      1,
    );
    const hint = nearest === undefined ? "Leave it out." : `Did you mean ${nearest}?`;
    return `${shortJson(key)} is no ${isOption ? "option of the loop" : "callback"}. ${hint}`;
  }
  const value = valueAt(options, issue.path);
  const given = typeof value === "object" && value !== null ? "this" : shortJson(value);
  const path = callback === undefined ? name : `${name}.${callback}`;
  return `${path} cannot be ${given}: it should be ${issue.message}${/[.?]$/.test(issue.message) ? "" : "."}`;
}

/** Returns which of these groups the executor does not have, or `undefined`. */
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

/** Returns what the tools of a client should be instead, or `undefined`. */
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
