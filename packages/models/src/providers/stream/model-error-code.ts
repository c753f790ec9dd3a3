import type { ModelErrorCode } from "@capstan/core";
import type { FailureFacts } from "./failure-facts.ts";

/**
 * Matches the messages of OpenAI, Anthropic, Google, vLLM, llama.cpp, LM Studio and Ollama for a
 * full context.
 */
const contextFull =
  /context_length|context[ _-](?:length|size|window|limit)|exceed_context|maximum (?:context|model) length|prompt is too long|too many (?:input )?tokens|token count.{0,40}exceeds|context (?:the )?overflow/i;
const quotaGone =
  /insufficient_quota|billing_(?:hard_limit|not_active|error)|credit balance|out of credits|insufficient (?:credits?|balance|funds)|perday/i;
const keyRefused =
  /invalid_api_key|api_key_invalid|api key not valid|authentication_error|invalid authentication|unauthenticated|legal http header|invalid header value|bytestring/i;
const modelMissing =
  /model_not_found|model .{0,120}(?:not found|not exist|is not supported)|not_found_error|no such model/i;
const rateLimited = /rate_limit|resource_exhausted|too many requests/i;
const overloaded = /overloaded|server_error|internal_error|unavailable|timeout/i;
const connectionLost =
  /ended without a finish reason|terminated|fetch failed|socket hang up|other side closed|premature close|cannot connect/i;
const notAllowedHere =
  /unsupportedfunctionality|invalid_prompt|functionality not supported|invalid_request/i;

/**
 * Returns the kind of an error. The message takes precedence over the status if vendors disagree. A
 * full context is a 400 at most vendors and a 413 or 500 at some. An invalid key is a 400 at
 * Google. An empty account is a 429 at OpenAI and a 402 or 400 elsewhere.
 */
export function modelErrorCode({ status, codes, message, network }: FailureFacts): ModelErrorCode {
  const words = `${codes.join(" ")} ${message}`;
  if (status === undefined && (network !== undefined || connectionLost.test(words)))
    return "connection";
  if (status !== 429 && contextFull.test(words)) return "context_length";
  if (status === 402 || quotaGone.test(words)) return "insufficient_quota";
  if (status === 401 || status === 403 || keyRefused.test(words)) return "authentication";
  if (status === 404 || modelMissing.test(words)) return "model_not_found";
  if (status === 429 || (status === undefined && rateLimited.test(words))) return "rate_limit";
  if (status === 413) return "context_length";
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) return "server";
  if (status !== undefined && status >= 400) return "bad_request";
  if (overloaded.test(words)) return "server";
  return notAllowedHere.test(words) ? "bad_request" : "server";
}
