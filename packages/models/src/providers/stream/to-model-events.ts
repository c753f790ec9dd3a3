import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import {
  type JsonObject,
  type Message,
  ModelError,
  type ModelEvent,
  type Usage,
} from "@capstan/core";
import type { FinishReason } from "@capstan/core/host";
import { createCallStream } from "./call-stream.ts";
import { createReasoningStream } from "./reasoning-stream.ts";

/** Converts the parts of a provider's stream to events. */
export interface EventTranslator {
  /** Returns the events of one part. Throws if the part is an error or an invalid end. */
  translate(part: LanguageModelV4StreamPart): readonly ModelEvent[];
  readonly isFinished: boolean;
}

export interface EventTranslatorOptions {
  /** The messages of the request. New calls get ids that these do not contain. */
  readonly messages: readonly Message[];
  /** The tools' own names, keyed by their names at the provider. @default the same names */
  readonly toolNames?: ReadonlyMap<string, string>;
}

export function createEventTranslator({
  messages,
  toolNames,
}: EventTranslatorOptions): EventTranslator {
  const nameOf = (name: string): string => toolNames?.get(name) ?? name;
  const calls = createCallStream(
    messages
      .flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []))
      .map(({ id }) => id),
  );
  const reasoning = createReasoningStream();
  let isFinished = false;

  function translate(part: LanguageModelV4StreamPart): readonly ModelEvent[] {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? [] : [{ type: "text-delta", text: part.delta }];
      case "reasoning-start":
        return reasoning.start(part.id, metadataOf(part));
      case "reasoning-delta":
        return reasoning.delta(part.id, part.delta, metadataOf(part));
      case "reasoning-end":
        return reasoning.end(part.id, metadataOf(part));
      case "tool-input-start":
        return part.providerExecuted === true ? [] : calls.start(part.id, nameOf(part.toolName));
      case "tool-input-delta":
        return calls.delta(part.id, part.delta);
      case "tool-call":
        return part.providerExecuted === true
          ? []
          : calls.call(part.toolCallId, nameOf(part.toolName), part.input, metadataOf(part));
      case "error":
        throw part.error instanceof Error ? part.error : new Error("", { cause: part.error });
      case "finish": {
        isFinished = true;
        const reason = finishReasonOf(part.finishReason);
        return [
          ...reasoning.finish(),
          ...calls.finish(reason !== "tool_calls" && reason !== "stop"),
          { type: "finish", reason, usage: usageOf(part.usage) },
        ];
      }
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

function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason): FinishReason {
  switch (unified) {
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    case "error":
      throw new ModelError({
        code: "server",
        message: `broke off its answer${raw === undefined ? "" : ` (${raw})`}`,
      });
    case "interrupted":
      throw new ModelError({ code: "connection", message: "ended before its answer was complete" });
    default:
      return unified;
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
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
