import { isObject } from "../../json/json-value.ts";
import { CapstanError } from "../../base/errors.ts";
import {
  type AssistantMessage,
  type Message,
  type ToolCallRequest,
  neutraliseMessage,
  messageSchema,
  messagesSchema,
} from "../../model/message.ts";
import type { Model, ModelEvent } from "../../model/model.ts";
import type { ChainError } from "../journal/chain-result.ts";
import { resumeProblem, chainStateProblem } from "./resume-problem.ts";
import {
  problemText,
  type SchemaProblem,
  schemaProblem,
  valueAt,
} from "../../json/schema-problem.ts";
import { checkUsage } from "../../model/check-stream.ts";
import type { ToolChainCallbacks } from "./callbacks.ts";
import type { FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";
import type { $ZodIssue } from "zod/v4/core";
import { z } from "zod/mini";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { shortJson } from "../../json/short-json.ts";
import { nearestNames } from "../../text/nearest-name.ts";
import { namePattern } from "../../tool/registry.ts";

interface CheckedOptions {
  readonly options: ToolChainOptions;
  /**
   * The reason why the chain runs and writes nothing. The state from which it would resume stays
   * unchanged.
   */
  readonly refusal?: ChainError;
}

/** The checked options of the loop. With a `refusal`, the loop only reports it. */
export type LoopOptions = ToolChainOptions & { readonly runId: string } & Pick<
    CheckedOptions,
    "refusal"
  >;

/**
 * Checks the options of a chain, and converts its messages to the form of the loop. If an option, a
 * message or a state is invalid, returns only the options that are needed to report that.
 *
 * @throws CapstanError `invalid_options` without an executor
 */
export function checkOptions(given: ToolChainOptions): CheckedOptions {
  const wrong = optionsProblem(given);
  if (wrong !== undefined) return refused(given, "invalid_options", wrong);
  const options = withoutNulls(given);
  const { contextMessages, inputMessages, messagesAreChecked, firstResponse, resume } = options;
  if (resume !== undefined) {
    const problem = chainStateProblem(resume.state);
    if (problem !== undefined) return refused(options, "invalid_state", problem);
    const word = resumeProblem(resume);
    if (word !== undefined)
      return refused(options, "invalid_answers", `An answer is invalid: ${problemText(word)}.`);
  }
  const checked = {
    ...options,
    ...(!messagesAreChecked && {
      contextMessages: withTexts(contextMessages),
      ...(inputMessages !== undefined && { inputMessages: withTexts(inputMessages) }),
    }),
    ...(firstResponse !== undefined && { firstResponse: checkResponse(firstResponse) }),
  };
  const problem =
    (messagesAreChecked ? undefined : messagesProblem(checked)) ??
    inputRoleProblem(checked.inputMessages ?? []) ??
    (checked.firstResponse && responseProblem(checked.firstResponse));
  if (problem !== undefined)
    return refused(options, "invalid_messages", `A message is invalid: ${problemText(problem)}.`);
  return { options: messagesAreChecked ? checked : withNeutralMessages(checked) };
}

/** Keeps only the listeners and a valid state, because the other options may be invalid. */
function refused(
  given: Partial<ToolChainOptions> | null,
  code: string,
  message: string,
): CheckedOptions {
  const { executor, onEvent, callbacks, resume } = given ?? {};
  if (executor?.gate === undefined) throw new CapstanError({ code, message });
  const state = isObject(resume) ? resume.state : undefined;
  const isValid = state !== undefined && chainStateProblem(state) === undefined;
  const options = {
    executor,
    model: noModel,
    contextMessages: [],
    ...(isValid && { resume: { state } }),
    ...(typeof onEvent === "function" && { onEvent }),
    ...(isObject(callbacks) && { callbacks: onlyFunctions(callbacks) }),
  };
  return { options, refusal: { code, message, phase: "chain" } };
}

function onlyFunctions(callbacks: object): ToolChainCallbacks {
  return Object.fromEntries(
    Object.entries(callbacks).filter(([, callback]) => typeof callback === "function"),
  );
}

/** Null usually means that an option is omitted. For these options it is invalid. */
const notNull = new Set(["contextMessages", "inputMessages", "firstResponse"]);

function withoutNulls(options: ToolChainOptions): ToolChainOptions {
  if (!Object.values(options).includes(null)) return options;
  const isNothing = ([name, value]: [string, unknown]) =>
    value === null && !notNull.has(name) && !name.startsWith("max");
  return Object.fromEntries(
    Object.entries(options).filter((entry) => !isNothing(entry)),
  ) as unknown as ToolChainOptions;
}

/** A model for rejected options. The loop never calls it. */
const noModel: Model = {
  id: "none",
  stream: async function* (): AsyncGenerator<ModelEvent> {},
};

function checkResponse(given: FirstResponse): FirstResponse {
  const { message, usage } = (given as FirstResponse | null) ?? ({} as Partial<FirstResponse>);
  return {
    ...given,
    message: withText(message as AssistantMessage) as AssistantMessage,
    ...(usage !== undefined && { usage: checkUsage(usage) }),
  };
}

/** Returns the error of the first invalid message, or `undefined`. */
function messagesProblem({
  contextMessages,
  inputMessages = [],
}: ToolChainOptions): SchemaProblem | undefined {
  return (
    schemaProblem(messagesSchema, contextMessages, "contextMessages") ??
    schemaProblem(messagesSchema, inputMessages, "inputMessages") ??
    misspeltProblem(contextMessages, "contextMessages") ??
    misspeltProblem(inputMessages, "inputMessages")
  );
}

const messageProperties: { readonly [role in Message["role"]]: readonly string[] } = {
  system: ["role", "content"],
  developer: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "reasoning", "tool_calls", "refusal", "annotations"],
  tool: ["role", "content", "tool_call_id", "name", "parts"],
};
/** Names that differ more in length are other properties, such as those of a provider. */
const maxLengthDifference = 2;

/**
 * Returns the error of the first property that is a misspelling of one that the loop reads: it would
 * have no effect. Messages may have any other property.
 */
function misspeltProblem(messages: readonly Message[], path: string): SchemaProblem | undefined {
  for (const [n, message] of messages.entries()) {
    const known = messageProperties[message.role];
    for (const [name, value] of Object.entries(message)) {
      if (known.includes(name)) continue;
      const missing = known.filter((each) => !Object.hasOwn(message, each));
      const meant = nearestNames(name, missing, 1)[0];
      if (meant !== undefined && Math.abs(meant.length - name.length) <= maxLengthDifference)
        return { path: `${path}[${n}].${name}`, value, expected: `named ${meant}` };
    }
  }
  return undefined;
}

/** Returns the error of the first new message whose role is allowed only in earlier turns. */
function inputRoleProblem(messages: readonly Message[]): SchemaProblem | undefined {
  const n = messages.findIndex(({ role }) => role === "assistant" || role === "tool");
  if (n === -1) return undefined;
  const expected = "user, developer or system: messages of earlier turns go into contextMessages";
  return { path: `inputMessages[${n}].role`, value: messages[n]?.role, expected };
}

function responseProblem({ message }: FirstResponse): SchemaProblem | undefined {
  const path = "firstResponse.message";
  const problem = schemaProblem(messageSchema, message, path);
  if (problem !== undefined || message.role === "assistant") return problem;
  return { path: `${path}.role`, value: message.role, expected: "assistant" };
}

function withTexts(messages: readonly Message[]): readonly Message[] {
  if (!Array.isArray(messages)) return messages;
  const given = messages as readonly Message[];
  const checked = given.map((message, n) => withName(withText(message), given, n));
  const isSame = checked.every((message, n) => message === given[n]);
  return isSame ? given : checked;
}

/**
 * OpenAI's own tool messages have only the call's id: the name is in the message that requested the
 * call.
 */
function withName(message: Message, messages: readonly Message[], place: number): Message {
  if (message?.role !== "tool" || (message.name as unknown) !== undefined) return message;
  for (let n = place - 1; n >= 0; n--) {
    const { tool_calls: calls } = (messages[n] ?? {}) as Partial<AssistantMessage>;
    const asked: readonly (Partial<ToolCallRequest> | null)[] = Array.isArray(calls) ? calls : [];
    const name: unknown = asked.find((call) => call?.id === message.tool_call_id)?.function?.name;
    if (typeof name === "string") return { ...message, name };
  }
  return { ...message, name: "unnamed" };
}

/**
 * A provider may recognize logs by their frame, so text from any other source must not contain a
 * frame.
 */
function withNeutralMessages(options: ToolChainOptions): ToolChainOptions {
  const { contextMessages, inputMessages } = options;
  return {
    ...options,
    contextMessages: neutralMessages(contextMessages),
    ...(inputMessages !== undefined && { inputMessages: neutralMessages(inputMessages) }),
  };
}

function neutralMessages(messages: readonly Message[]): readonly Message[] {
  const safe = messages.map(neutraliseMessage);
  return safe.every((message, n) => message === messages[n]) ? messages : safe;
}

/**
 * Converts answers in two other formats. OpenAI's assistant messages with calls have null as their
 * content, and some providers' messages have their reasoning as a text.
 */
function withText(message: Message): Message {
  if (message?.role !== "assistant") return message;
  const {
    content,
    tool_calls: calls,
    reasoning,
    ...rest
  } = message as Omit<typeof message, "content" | "reasoning"> & {
    readonly content?: string | null;
    readonly reasoning?: AssistantMessage["reasoning"] | string | null;
  };
  const isReasoningText = typeof reasoning === "string" || reasoning === null;
  if (typeof content === "string" && calls !== null && !isReasoningText) return message;
  const reasoningParts = typeof reasoning === "string" ? [{ text: reasoning }] : reasoning;
  return {
    ...rest,
    content: content ?? "",
    ...(calls && { tool_calls: calls }),
    ...(reasoningParts && { reasoning: reasoningParts }),
  };
}

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

// An option that is null is treated as omitted.
const chainOptions = z.strictObject(
  {
    executor: has("gate", "a ToolExecutor"),
    model: has("stream", "a model: an object with an `id` and a `stream` function"),
    contextMessages: anything,
    messagesAreChecked: z.nullish(z.boolean("true or false")),
    inputMessages: anything,
    systemPrompt: anything,
    groups: z.nullish(
      z.custom(
        (value) => isFunction(value) || Array.isArray(value),
        "a list of groups' names, or a function that returns one",
      ),
    ),
    allowTool: aFunction,
    hidesTool: aFunction,
    deferral: object,
    clientTools: z.nullish(
      z.unknown().check(({ value, issues }) => {
        const expected = isFunction(value) ? undefined : clientToolsProblem(value);
        if (expected !== undefined)
          issues.push({ code: "custom", message: expected, input: value });
      }),
    ),
    checkClientCall: aFunction,
    chatOption: object,
    signal: z.nullish(has("aborted", "an AbortSignal")),
    abortController: z.nullish(has("signal", "an AbortController")),
    journal: z.nullish(has("commit", "a journal: an object with a `commit` function")),
    runId: z.nullish(z.string("text")),
    caller: object,
    checkToolResults: z.nullish(z.boolean("true or false")),
    startsReadsEarly: z.nullish(z.boolean("true or false")),
    requireApproval: aFunction,
    onSettled: aFunction,
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
function optionsProblem(options: ToolChainOptions): string | undefined {
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
    return `${shortJson(key)} is not ${isOption ? "an option of the loop" : "a callback"}. ${hint}`;
  }
  const value = valueAt(options, issue.path);
  const given = typeof value === "object" && value !== null ? "this" : shortJson(value);
  const path = callback === undefined ? name : `${name}.${callback}`;
  return `${path} cannot be ${given}: it should be ${issue.message}${/[.?]$/.test(issue.message) ? "" : "."}`;
}

/** Returns an error that names the groups that the executor does not have, or `undefined`. */
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
    return `${shortJson(name)} in groups is not a group of the executor. ${hint}`;
  }
  return undefined;
}

/** Returns the form that a client's tools must have, or `undefined` if they have it. */
export function clientToolsProblem(tools: unknown): string | undefined {
  if (!Array.isArray(tools)) return "a list of definitions, or a function that returns one";
  const names = new Set<unknown>();
  for (const [n, tool] of (tools as readonly unknown[]).entries()) {
    const spec = isObject(tool) ? tool["function"] : undefined;
    const name = isObject(spec) ? spec["name"] : undefined;
    const where = `definitions such as {"type":"function","function":{"name":"Ask"}}; number ${n + 1}`;
    if (typeof name !== "string" || !namePattern.test(name))
      return `${where} has the name ${shortJson(name)}, which does not match ${namePattern.source}, so providers reject it`;
    if (names.has(name)) return `${where} has the same name as another tool, ${name}`;
    names.add(name);
  }
  return undefined;
}
