import { shortJson } from "../json/short-json.ts";
import { areLogprobs } from "./logprobs.ts";
import { ModelError } from "./model-error.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "./model.ts";
import type { Usage } from "./usage.ts";

/**
 * Opens a model's stream. Models are custom code: check each event with `checkEvent`.
 *
 * @throws ModelError if the stream is not an async iterable
 */
export function checkedStream(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterator<ModelEvent> {
  const stream: unknown = model.stream(request, signal);
  if (isIterable(stream)) return stream[Symbol.asyncIterator]();
  throw notUnderstood(`stream() must return an async iterable, not ${shortJson(stream)}`);
}

/** @throws ModelError */
export function checkEvent(event: ModelEvent): ModelEvent {
  const given = event as { readonly [key: string]: unknown } | null | undefined;
  if (typeof given !== "object" || given === null)
    throw notUnderstood(`an event was ${shortJson(given)}`);
  const wanted = texts.get(event.type);
  if (wanted !== undefined)
    for (const key of wanted)
      if (typeof given[key] !== "string")
        throw notUnderstood(`${event.type} had ${shortJson(given[key])} as its ${key}, not a text`);
  if (event.type === "text-delta" && event.logprobs !== undefined && !areLogprobs(event.logprobs))
    throw notUnderstood(`text-delta had ${shortJson(event.logprobs)} as its logprobs`);
  if (event.type !== "finish") return event;
  const reason = reasons.has(event.reason) ? event.reason : "other";
  return { type: "finish", reason, usage: checkUsage(event.usage) };
}

const texts: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text-delta", ["text"]],
  ["refusal-delta", ["text"]],
  ["reasoning-delta", ["text"]],
  ["tool-call-start", ["id", "name"]],
  ["tool-call-delta", ["id", "delta"]],
  ["tool-call-end", ["id", "name", "arguments"]],
]);

const reasons: ReadonlySet<unknown> = new Set<FinishReason>([
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "error",
  "other",
]);

/** Returns a usage with valid counts. An invalid count would disable every token limit. */
export function checkUsage(usage: Partial<Usage> | null | undefined): Usage {
  const given = usage ?? {};
  const cachedInputTokens = count(given.cachedInputTokens);
  const reasoningTokens = count(given.reasoningTokens);
  return {
    inputTokens: count(given.inputTokens) ?? 0,
    outputTokens: count(given.outputTokens) ?? 0,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function isIterable(value: unknown): value is AsyncIterable<ModelEvent> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function"
  );
}

function notUnderstood(what: string): ModelError {
  const message = `The model's stream is invalid: ${what}. See ModelEvent for the events of a stream.`;
  return new ModelError({ code: "server", message });
}
