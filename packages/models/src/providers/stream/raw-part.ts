import type { Usage } from "@capstan/core";

/** Facts that the providers' packages pass on only in the raw form of a part. */
export interface RawFacts {
  /** A piece of a refusal, which the packages report as text. */
  readonly refusal?: string;
  /** The whole refusal. Some servers send only this, without pieces. */
  readonly wholeRefusal?: string;
  /** The tokens of the text of this part, as the provider sent them. */
  readonly logprobs?: unknown;
  /** Token counts outside of `usage`. */
  readonly usage?: Usage;
  /** The provider's own tool that an item of the Responses API calls. */
  readonly hostedTool?: string;
  /** Why Anthropic's model declined to answer; empty if it gave no reason. */
  readonly declined?: string;
}

const none: RawFacts = {};

/** Reads an event of a provider's stream in its own form. Unknown forms have no facts. */
export function readRaw(raw: unknown): RawFacts {
  const event = fieldsOf(raw);
  switch (event["type"]) {
    case "response.output_text.delta":
      return logprobsOf(event["logprobs"]);
    case "response.refusal.delta":
      return texts({ refusal: event["delta"] });
    case "response.refusal.done":
      return texts({ wholeRefusal: event["refusal"] });
    case "response.output_item.added":
    case "response.output_item.done":
      return hostedTool(fieldsOf(event["item"])["type"]);
    case "message_delta": {
      const delta = fieldsOf(event["delta"]);
      if (delta["stop_reason"] !== "refusal") return none;
      const { explanation } = fieldsOf(delta["stop_details"]);
      return { declined: typeof explanation === "string" ? explanation : "" };
    }
    case undefined:
      return chatChunk(event);
    default:
      return none;
  }
}

/** A chunk of Chat Completions. Groq sends its token counts in `x_groq`. */
function chatChunk(chunk: Fields): RawFacts {
  const choices: unknown = chunk["choices"];
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const usage = chatUsage(fieldsOf(chunk["x_groq"])["usage"]);
  return {
    ...texts({ refusal: fieldsOf(fieldsOf(choice)["delta"])["refusal"] }),
    ...logprobsOf(fieldsOf(fieldsOf(choice)["logprobs"])["content"]),
    ...(usage !== undefined && { usage }),
  };
}

function logprobsOf(given: unknown): RawFacts {
  return Array.isArray(given) && given.length > 0 ? { logprobs: given } : none;
}

function chatUsage(given: unknown): Usage | undefined {
  const usage = fieldsOf(given);
  const inputTokens = usage["prompt_tokens"];
  const outputTokens = usage["completion_tokens"];
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  const cached = fieldsOf(usage["prompt_tokens_details"])["cached_tokens"];
  const reasoning = fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"];
  return {
    inputTokens,
    outputTokens,
    ...(typeof cached === "number" && { cachedInputTokens: cached }),
    ...(typeof reasoning === "number" && { reasoningTokens: reasoning }),
  };
}

/** Items of tools that the caller defines. All other calls are of the provider's own tools. */
const ownCalls: readonly unknown[] = ["function_call", "custom_tool_call"];

function hostedTool(type: unknown): RawFacts {
  if (typeof type !== "string" || !type.endsWith("_call") || ownCalls.includes(type)) return none;
  return { hostedTool: type.slice(0, -"_call".length) };
}

function texts(given: { readonly [name: string]: unknown }): RawFacts {
  const found = Object.entries(given).filter(([, text]) => typeof text === "string" && text !== "");
  return Object.fromEntries(found);
}

type Fields = { readonly [name: string]: unknown };

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : (none as Fields);
}
