import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type JsonObject,
  type Message,
  ModelError,
  type ModelEvent,
  type TokenLogprob,
  type Usage,
} from "@capstan/core";
import type { FinishReason } from "@capstan/core/host";
import { createCallStream } from "./call-stream.ts";
import { readRaw } from "./raw-part.ts";
import { createCustomInputStream } from "./custom-input-stream.ts";
import type { ProviderPart } from "./part-model.ts";
import { readLogprobs } from "./read-logprobs.ts";
import { createReasoningStream } from "./reasoning-stream.ts";

/** Converts the parts of a provider's stream to events. */
export interface EventTranslator {
  /** Returns the events of one part. Throws if the part is an error or an invalid end. */
  translate(part: ProviderPart): readonly ModelEvent[];
  readonly isFinished: boolean;
}

export interface EventTranslatorOptions {
  /** The messages of the request. New calls get ids that these do not contain. */
  readonly messages: readonly Message[];
  /** The tools' own names, keyed by their names at the provider. @default the same names */
  readonly toolNames?: ReadonlyMap<string, string>;
  /** The tools whose text the model writes itself, by their names at the provider. @default none */
  readonly customNames?: ReadonlySet<string>;
  /** The number of alternatives for each token. @default the request asks for no log probabilities */
  readonly topLogprobs?: number | undefined;
}

export function createEventTranslator({
  messages,
  toolNames,
  customNames,
  topLogprobs,
}: EventTranslatorOptions): EventTranslator {
  const nameOf = (name: string): string => toolNames?.get(name) ?? name;
  const calls = createCallStream(
    messages
      .flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []))
      .map(({ id }) => id),
  );
  const inputs = createCustomInputStream();
  const reasoning = createReasoningStream();
  /** Blocks with Anthropic's summary of earlier messages, which must not be shown as an answer. */
  const summaries = new Set<string>();
  /** Pieces of a refusal that the package is about to report as text. */
  let refusals: string[] = [];
  let hasRefused = false;
  let hasAnswered = false;
  const hostedTools = new Set<string>();
  let declined: string | undefined;
  let rawUsage: Usage | undefined;
  let isFinished = false;
  /** The tokens of the text that the package is about to report. */
  let logprobs: readonly TokenLogprob[] = [];

  function refuse(text: string): readonly ModelEvent[] {
    hasRefused = true;
    hasAnswered = true;
    return [{ type: "refusal-delta", text }];
  }

  function holdLogprobs(tokens: unknown): void {
    if (topLogprobs !== undefined) logprobs = [...logprobs, ...readLogprobs(tokens, topLogprobs)];
  }

  function readRawPart(raw: unknown): readonly ModelEvent[] {
    const facts = readRaw(raw);
    rawUsage = facts.usage ?? rawUsage;
    declined = facts.declined ?? declined;
    if (facts.hostedTool !== undefined) hostedTools.add(facts.hostedTool);
    if (facts.logprobs !== undefined) holdLogprobs(facts.logprobs);
    if (facts.refusal !== undefined) refusals.push(facts.refusal);
    return facts.wholeRefusal === undefined || hasRefused ? [] : refuse(facts.wholeRefusal);
  }

  function textDelta(id: string, text: string): readonly ModelEvent[] {
    if (text === "") return [];
    if (summaries.has(id)) return reasoning.delta(id, text, undefined);
    if (refusals[0] === text) {
      refusals = refusals.slice(1);
      return refuse(text);
    }
    hasAnswered = true;
    if (logprobs.length === 0) return [{ type: "text-delta", text }];
    const tokens = logprobs;
    logprobs = [];
    return [{ type: "text-delta", text, logprobs: tokens }];
  }

  /** Calls of the provider's own tools never reach a tool, because none of them was offered. */
  function isHosted(name: string, providerExecuted: boolean | undefined): boolean {
    if (providerExecuted === true) hostedTools.add(name);
    return providerExecuted === true || hostedTools.has(name);
  }

  function finish(reason: FinishReason, usage: Usage): readonly ModelEvent[] {
    const ends = calls.finish(reason);
    const isEmpty = !hasAnswered && ends.length === 0;
    if (isEmpty && hostedTools.size > 0) throw new UnofferedToolError([...hostedTools]);
    const refused = isEmpty && declined !== undefined ? refuse(declined || declinedText) : [];
    const isRefusal = reason === "content_filter" && hasRefused;
    return [
      ...reasoning.finish(),
      ...refused,
      ...ends,
      { type: "finish", reason: isRefusal ? "stop" : reason, usage },
    ];
  }

  function translate(part: ProviderPart): readonly ModelEvent[] {
    switch (part.type) {
      case "raw":
        return readRawPart(part.rawValue);
      case "logprobs":
        holdLogprobs(part.tokens);
        return [];
      case "refusal-delta":
        return refuse(part.text);
      case "text-start":
        if (!isSummary(part)) return [];
        summaries.add(part.id);
        return reasoning.start(part.id, undefined);
      case "text-delta":
        return textDelta(part.id, part.delta);
      case "text-end":
        return summaries.has(part.id) ? reasoning.end(part.id, undefined) : [];
      case "reasoning-start":
        return reasoning.start(part.id, metadataOf(part));
      case "reasoning-delta":
        return reasoning.delta(part.id, part.delta, metadataOf(part));
      case "reasoning-end":
        return reasoning.end(part.id, metadataOf(part));
      case "tool-input-start": {
        if (isHosted(part.toolName, part.providerExecuted)) return [];
        const started = calls.start(part.id, nameOf(part.toolName));
        if (customNames?.has(part.toolName) !== true) return started;
        return [...started, ...calls.delta(part.id, inputs.start(part.id))];
      }
      case "tool-input-delta":
        return calls.delta(part.id, inputs.delta(part.id, part.delta));
      case "tool-call": {
        const { toolCallId: id, toolName, input } = part;
        if (isHosted(toolName, part.providerExecuted)) return [];
        return calls.call(id, nameOf(toolName), inputs.whole(id, input), metadataOf(part));
      }
      case "error":
        throw part.error instanceof Error ? part.error : new Error("", { cause: part.error });
      case "finish":
        isFinished = true;
        return finish(finishReasonOf(part.finishReason), usageOf(part.usage, rawUsage));
      default:
        return [];
    }
  }

  return {
    translate,
    get isFinished() {
      return isFinished;
    },
  };
}

/** The model called tools of its provider that the request did not offer, and gave no answer. */
export class UnofferedToolError extends ModelError {
  constructor(names: readonly string[]) {
    const tools = names.map((name) => name.slice(0, 100)).join(", ");
    super({
      code: "server",
      message: `called its own tool ${tools}, which the request does not offer, and gave no answer`,
    });
  }
}

/** Whether a block of text is a summary of earlier messages that Anthropic compacted. */
function isSummary(part: { readonly providerMetadata?: unknown }): boolean {
  const anthropic = metadataOf(part)?.["anthropic"];
  return typeof anthropic === "object" && anthropic !== null && "type" in anthropic
    ? anthropic.type === "compaction"
    : false;
}

/** The refusal of a model that gave no reason. */
const declinedText = "The model declined to answer this request.";

function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): FinishReason {
  switch (unified) {
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    case "error":
      throw new ModelError({
        code: "server",
        message: `stopped before its answer was complete${raw === undefined ? "" : ` (${raw})`}`,
      });
    case "interrupted":
      throw new ModelError({
        code: "connection",
        message: "ended before its response was complete",
      });
    default:
      return unified;
  }
}

/** @param raw counts that the provider sent elsewhere, used if there are no others */
function usageOf(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  raw: Usage | undefined,
): Usage {
  if (raw !== undefined && inputTokens.total === undefined) return raw;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
  };
}

function metadataOf(part: { readonly providerMetadata?: unknown }): JsonObject | undefined {
  return part.providerMetadata as JsonObject | undefined;
}
