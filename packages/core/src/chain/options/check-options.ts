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
import { resumeProblem } from "./resume-problem.ts";
import { chainStateProblem } from "./chain-state-problem.ts";
import { optionsProblem } from "./options-problem.ts";
import { problemText, type SchemaProblem, schemaProblem } from "../../json/schema-problem.ts";
import { checkUsage } from "../../model/check-stream.ts";
import type { ToolChainCallbacks } from "./tool-chain-callbacks.ts";
import type { FirstResponse, ToolChainOptions } from "./tool-chain-options.ts";

export interface CheckedOptions {
  readonly options: ToolChainOptions;
  /** Why the chain does and writes nothing; the state that it was to carry on stays as it is. */
  readonly refusal?: ChainError;
}

/** What the loop runs with; `refusal`: it does nothing but say so. */
export type LoopOptions = ToolChainOptions & { readonly runId: string } & Pick<
    CheckedOptions,
    "refusal"
  >;

/**
 * Checks the options of a chain and converts its messages to the form that the loop takes. If an
 * option, a message or a state is invalid, returns what is needed to report that.
 *
 * @throws CapstanError `invalid_options` without an executor: there is nothing to run a chain on
 */
export function checkOptions(given: ToolChainOptions): CheckedOptions {
  const wrong = optionsProblem(given);
  if (wrong !== undefined) return refused(given, "invalid_options", wrong);
  const options = withoutNulls(given);
  const { contextMessages, inputMessages, firstResponse, resume } = options;
  if (resume !== undefined) {
    const problem = chainStateProblem(resume.state);
    if (problem !== undefined) return refused(options, "invalid_state", problem);
    const word = resumeProblem(resume);
    if (word !== undefined)
      return refused(options, "invalid_answers", `An answer is invalid: ${problemText(word)}.`);
  }
  const checked = {
    ...options,
    contextMessages: withTexts(contextMessages),
    ...(inputMessages !== undefined && { inputMessages: withTexts(inputMessages) }),
    ...(firstResponse !== undefined && { firstResponse: checkResponse(firstResponse) }),
  };
  const problem =
    schemaProblem(messagesSchema, checked.contextMessages, "contextMessages") ??
    inputProblem(checked.inputMessages ?? []) ??
    (checked.firstResponse && responseProblem(checked.firstResponse));
  if (problem === undefined)
    return { options: { ...checked, contextMessages: neutralMessages(checked.contextMessages) } };
  return refused(options, "invalid_messages", `A message is invalid: ${problemText(problem)}.`);
}

/** Of what was given only who listens, and a sound state, stay: nothing else need be what it should. */
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

/** Who has nothing to say for an option may say null; for these it is no answer. */
const notNull = new Set(["contextMessages", "inputMessages", "firstResponse"]);

function withoutNulls(options: ToolChainOptions): ToolChainOptions {
  if (!Object.values(options).includes(null)) return options;
  const isNothing = ([name, value]: [string, unknown]) =>
    value === null && !notNull.has(name) && !name.startsWith("max");
  return Object.fromEntries(
    Object.entries(options).filter((entry) => !isNothing(entry)),
  ) as unknown as ToolChainOptions;
}

/** It is not asked. */
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

/** Returns the first invalid message, and refuses the roles that only earlier turns may have. */
function inputProblem(messages: readonly Message[]): SchemaProblem | undefined {
  const problem = schemaProblem(messagesSchema, messages, "inputMessages");
  if (problem !== undefined) return problem;
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

/** OpenAI's own tool messages name the call alone: its name is in the message that asked for it. */
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

/** A provider may know logs by their frame alone: whoever else wrote one, it must not pass for the system's. */
function neutralMessages(messages: readonly Message[]): readonly Message[] {
  const safe = messages.map(neutraliseMessage);
  return safe.every((message, n) => message === messages[n]) ? messages : safe;
}

/** OpenAI's own answers have null where an assistant that calls says nothing; others' have reasoning as a text. */
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
  const isThought = typeof reasoning === "string" || reasoning === null;
  if (typeof content === "string" && calls !== null && !isThought) return message;
  const thoughts = typeof reasoning === "string" ? [{ text: reasoning }] : reasoning;
  return {
    ...rest,
    content: content ?? "",
    ...(calls && { tool_calls: calls }),
    ...(thoughts && { reasoning: thoughts }),
  };
}
