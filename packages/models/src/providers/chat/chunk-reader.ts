import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ProviderPart } from "../stream/part-model.ts";
import { createChatCalls } from "./chat-calls.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";

/** Reads the chunks of one answer of Chat Completions. */
export interface ChunkReader {
  /** Returns the parts of a chunk. An error part ends the answer. */
  read(data: string): readonly ProviderPart[];
  /** Returns the parts at the end of the answer. */
  finish(): readonly ProviderPart[];
}

const reasoningId = "reasoning";
const textId = "text";

/** @param metadataKey the key of the calls' metadata */
export function createChunkReader(metadataKey: string): ChunkReader {
  const calls = createChatCalls(metadataKey);
  let isReasoning = false;
  let finishReason: string | undefined;
  let usage: LanguageModelV4Usage | undefined;

  function endReasoning(): readonly ProviderPart[] {
    if (!isReasoning) return [];
    isReasoning = false;
    return [{ type: "reasoning-end", id: reasoningId }];
  }

  function addDelta(parts: ProviderPart[], delta: Fields): void {
    const { reasoning, text } = contentOf(delta);
    if (reasoning !== "") {
      if (!isReasoning) parts.push({ type: "reasoning-start", id: reasoningId });
      isReasoning = true;
      parts.push({ type: "reasoning-delta", id: reasoningId, delta: reasoning });
    }
    if (text !== "") parts.push(...endReasoning(), { type: "text-delta", id: textId, delta: text });
    const refusal = textOf(delta["refusal"]);
    if (refusal !== undefined)
      parts.push(...endReasoning(), { type: "refusal-delta", text: refusal });
    const pieces = listOf(delta["tool_calls"]);
    if (pieces.length > 0) parts.push(...endReasoning());
    for (const piece of pieces) parts.push(...calls.add(piece));
  }

  return {
    read(data) {
      const chunk = parsed(data);
      if (chunk === undefined)
        return [failure(`The stream has an event that is not an object: ${data.slice(0, 200)}`)];
      const { error, choices } = chunk;
      if (error !== undefined && error !== null) return [{ type: "error", error }];
      const [first] = listOf(choices);
      const choice = fieldsOf(first);
      const counts =
        usageOf(chunk["usage"]) ??
        usageOf(choice["usage"]) ??
        usageOf(fieldsOf(chunk["x_groq"])["usage"]);
      usage = counts ?? usage;
      // vLLM sends the fields of an error without an object around them.
      if (!Array.isArray(choices) && counts === undefined)
        return textOf(chunk["message"]) === undefined
          ? [failure(`The stream has an event without choices: ${data.slice(0, 200)}`)]
          : [{ type: "error", error: chunk }];
      const parts: ProviderPart[] = [];
      const tokens = listOf(fieldsOf(choice["logprobs"])["content"]);
      if (tokens.length > 0) parts.push({ type: "logprobs", tokens });
      addDelta(parts, fieldsOf(choice["delta"]));
      finishReason = textOf(choice["finish_reason"]) ?? finishReason;
      return parts;
    },
    finish() {
      if (finishReason === undefined)
        return [failure("The response ended without a finish reason.")];
      try {
        const parts = [...endReasoning(), ...calls.finish()];
        const reason = { unified: unifiedReason(finishReason), raw: finishReason };
        return [...parts, { type: "finish", finishReason: reason, usage: usage ?? noUsage }];
      } catch (thrown) {
        return [{ type: "error", error: thrown }];
      }
    },
  };
}

function failure(message: string): ProviderPart {
  return { type: "error", error: new Error(message) };
}

function parsed(data: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** Mistral sends the reasoning and the text as parts of the content. */
function contentOf(delta: Fields): { readonly reasoning: string; readonly text: string } {
  const { content } = delta;
  const reasoning = reasoningOf(delta);
  if (!Array.isArray(content)) return { reasoning, text: textOf(content) ?? "" };
  const parts = listOf(content).map(fieldsOf);
  const thoughts = parts.flatMap((part) => listOf(part["thinking"]));
  return { reasoning: reasoning + joined(thoughts), text: joined(parts) };
}

/** Servers use different names for the same text, and some send it under two of them. */
function reasoningOf(delta: Fields): string {
  return (
    textOf(delta["reasoning_content"]) ??
    textOf(delta["reasoning"]) ??
    textOf(delta["reasoning_text"]) ??
    textOf(delta["thinking"]) ??
    joined(listOf(delta["reasoning_details"]))
  );
}

function joined(parts: readonly unknown[]): string {
  return parts
    .map(fieldsOf)
    .map((part) => textOf(part["text"]) ?? textOf(part["summary"]) ?? "")
    .join("");
}

function unifiedReason(reason: string): LanguageModelV4FinishReason["unified"] {
  switch (reason) {
    case "stop":
      return "stop";
    case "length":
    case "model_length":
      return "length";
    case "content_filter":
      return "content-filter";
    case "tool_calls":
    case "function_call":
      return "tool-calls";
    case "error":
      return "error";
    case "insufficient_system_resource":
      return "interrupted";
    default:
      return "other";
  }
}

const noUsage: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function usageOf(given: unknown): LanguageModelV4Usage | undefined {
  const usage = fieldsOf(given);
  const input = countOf(usage["prompt_tokens"]);
  const output = countOf(usage["completion_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const cacheRead =
    countOf(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]) ??
    countOf(usage["prompt_cache_hit_tokens"]);
  const reasoning = countOf(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]);
  return {
    inputTokens: { ...noUsage.inputTokens, total: input ?? 0, cacheRead },
    outputTokens: { ...noUsage.outputTokens, total: output ?? 0, reasoning },
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
