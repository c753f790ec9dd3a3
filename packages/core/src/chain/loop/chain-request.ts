import { copyJson } from "../../json/json-value.ts";
import { shortJson } from "../../json/short-json.ts";
import { errorMessage, CapstanError } from "../../base/errors.ts";
import { type Message, messagesSchema } from "../../model/message.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ChainError, ReachedLimit } from "../journal/chain-result.ts";
import { problemText, schemaProblem } from "../../json/schema-problem.ts";
import { nameLongMessages } from "../../variables/long-messages.ts";
import type { ToolChainCallbacks } from "../options/callbacks.ts";
import type { ToolChainOptions } from "../options/tool-chain-options.ts";
import type { ToolDefinition } from "../../model/model.ts";
import type { OfferOptions, ToolOffer } from "../../tool/tool-offer.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import { clientToolsProblem, groupsProblem } from "../options/check-options.ts";

/**
 * The loop's own instructions to the model in a request, in addition to the conversation. Version
 * 2.
 */
const finalAnswerNote =
  "No more tools may be called in this turn. Answer now with what you have, and say what is missing.";
const emptyAnswerNote = "Your answer was empty. Answer the user in words.";

interface RequestNotes {
  readonly limit: ReachedLimit | undefined;
  readonly again: boolean;
  readonly advice: string | undefined;
  /** Whether an offered tool can read a long message by its variable's name. */
  readonly takesReferences: boolean;
  readonly hasUserInput: boolean;
}

type ChainRequest =
  | { readonly status: "ready"; readonly messages: readonly Message[] }
  | { readonly status: "failed"; readonly error: ChainError }
  /** The chain was stopped before the request was ready. */
  | { readonly status: "stopped" };

/**
 * Returns the messages of one request: the system prompt, the conversation, the turn so far, and
 * the loop's instructions.
 */
export function chainRequest(
  { systemPrompt, contextMessages, executor }: ToolChainOptions,
  turn: readonly Message[],
  notes: RequestNotes,
): Exclude<ChainRequest, { readonly status: "stopped" }> {
  try {
    const prompt = typeof systemPrompt === "function" ? systemPrompt() : (systemPrompt ?? "");
    if (typeof prompt !== "string")
      return failed(
        "system_prompt_failed",
        `systemPrompt must be a text, or a function that returns one synchronously, not ${shortJson(prompt)}.`,
      );
    const note = noteText(notes);
    const first: Message[] = prompt === "" ? [] : [{ role: "system", content: prompt }];
    const named = (given: readonly Message[]) =>
      notes.takesReferences ? nameLongMessages(given, executor.variables) : given;
    const conversation = first.concat(
      named(contextMessages),
      notes.hasUserInput ? named(turn) : turn,
    );
    if (note !== "") conversation.push({ role: "developer", content: note });
    return { status: "ready", messages: conversation };
  } catch (thrown) {
    return failed("system_prompt_failed", `systemPrompt threw: ${errorMessage(thrown)}`);
  }
}

/**
 * Returns the messages after the changes by `onBeforeSendToLLM`. If that callback fails, nothing is
 * sent, because its purpose may be to redact text.
 */
export async function changedRequest(
  messages: readonly Message[],
  before: NonNullable<ToolChainCallbacks["onBeforeSendToLLM"]>,
  signal: AbortSignal,
): Promise<ChainRequest> {
  try {
    const own = messages.map(ownCopy);
    const given = await untilAborted(Promise.resolve(before(own, { signal })), signal);
    if (signal.aborted) return stoppedBy(signal);
    // `undefined` means no change. null is invalid, because it is not a list.
    const [sent = own] = [given];
    const problem = schemaProblem(messagesSchema, sent, "its return value");
    if (problem !== undefined)
      return failed(
        "before_send_failed",
        `onBeforeSendToLLM must return messages, or nothing: ${problemText(problem)}.`,
      );
    return { status: "ready", messages: sent };
  } catch (thrown) {
    if (signal.aborted) return stoppedBy(signal);
    return failed("before_send_failed", `onBeforeSendToLLM threw: ${errorMessage(thrown)}`);
  }
}

/**
 * A copy for the request: if a callback redacts text in it, the record and the caller's history
 * stay unchanged.
 */
function ownCopy(message: Message): Message {
  switch (message.role) {
    case "user": {
      const { content } = message;
      return { ...message, content: typeof content === "string" ? content : copyJson(content) };
    }
    case "assistant": {
      const { reasoning, tool_calls: calls } = message;
      return {
        ...message,
        ...(reasoning !== undefined && { reasoning: copyJson(reasoning) }),
        ...(calls !== undefined && { tool_calls: copyJson(calls) }),
      };
    }
    case "tool": {
      const { parts } = message;
      return { ...message, ...(parts !== undefined && { parts: copyJson(parts) }) };
    }
    default:
      return { ...message };
  }
}

/**
 * Returns the outcome of an aborted callback: the turn was stopped, or only its time limit was
 * reached.
 */
function stoppedBy({ reason }: AbortSignal): ChainRequest {
  return ModelError.isInstance(reason)
    ? failed(reason.code, reason.message)
    : { status: "stopped" };
}

function noteText({ limit, again, advice }: RequestNotes): string {
  if (limit === undefined && !again) return advice ?? "";
  const last = limit === undefined ? [] : [limit.message, finalAnswerNote];
  return [
    ...(again ? [emptyAnswerNote] : []),
    ...last,
    ...(advice === undefined ? [] : [advice]),
  ].join(" ");
}

function failed(code: string, message: string) {
  return { status: "failed", error: { code, message, phase: "before_send" } } as const;
}

/** Resolves with the value of a promise, or with `undefined` as soon as the signal aborts. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Returns a function that returns the current offer: switches, groups and a client's tools may
 * change between rounds.
 */
export function roundOffer(chain: ToolChainOptions): () => ToolOffer {
  return () => {
    try {
      return chain.executor.offer(offerOptions(chain));
    } catch (thrown) {
      const why = errorMessage(thrown);
      const message = `groups, clientTools or allowTool failed: ${why}`;
      throw new CapstanError({ code: "invalid_options", message, cause: thrown });
    }
  };
}

function offerOptions(chain: ToolChainOptions): OfferOptions {
  const { executor, groups, clientTools, allowTool, deferral } = chain;
  return {
    ...(groups !== undefined && {
      groups: typeof groups === "function" ? checkGroups(groups(), executor) : groups,
    }),
    ...(clientTools !== undefined && {
      clientTools: typeof clientTools === "function" ? checkTools(clientTools()) : clientTools,
    }),
    ...(allowTool !== undefined && { allowTool }),
    ...(deferral !== undefined && { deferral }),
  };
}

/** Checks the groups of a function's list. Constant lists were checked when the chain began. */
function checkGroups(groups: readonly string[], executor: ToolExecutor): readonly string[] {
  const problem = Array.isArray(groups)
    ? groupsProblem(groups, executor)
    : "groups must return a list of group names.";
  if (problem === undefined) return groups;
  throw new Error(problem);
}

function checkTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const expected = clientToolsProblem(tools);
  if (expected === undefined) return tools;
  throw new Error(`clientTools should give ${expected}.`);
}

/**
 * Whether an offered tool can read a value by its variable's name. A client's tools cannot.
 */
export function takesReferences({ definitions, clientNames }: ToolOffer): boolean {
  return definitions.length > clientNames.size;
}
