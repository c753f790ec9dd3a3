import type { Message, ModelRequest, Usage, Model, ModelEvent } from "@capstan/core";
import { countTokens, loadTokenizer } from "../tokens/count-tokens.ts";
import { textOfUser, type Reply, type Command, planReply } from "./plan-reply.ts";
import { schemaValue } from "./schema-value.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { FinishReason } from "@capstan/core/host";

/** Options of the offline model. */
export interface OfflineModelOptions {
  /** The delay between two deltas, in milliseconds. @default 8 */
  readonly chunkDelayMs?: number;
}

const chunkLength = 24;

export const offlineModelId = "capstan/offline";

/**
 * Creates the offline model, for installations without another model. It is not an AI: it runs
 * lines such as `/ListFiles {"path":"."}` from the user's last message and reports their results.
 * Its answer depends only on the request, except for the ids of its calls.
 *
 * @example for await (const event of createOfflineModel().stream(request, signal)) show(event);
 */
export function createOfflineModel(options: OfflineModelOptions = {}): Model {
  return {
    id: offlineModelId,
    prices: { input: 0, output: 0 },
    stream: (request, signal) => streamReply(request, signal, options.chunkDelayMs ?? 8),
  };
}

async function* streamReply(
  request: ModelRequest,
  signal: AbortSignal,
  chunkDelayMs: number,
): AsyncGenerator<ModelEvent> {
  const { reply, finishReason } = await cut(
    stopped(formatted(planReply(request), request), request),
    request.maxOutputTokens,
  );
  for (const event of reply.type === "text"
    ? textEvents(reply.text)
    : reply.calls.flatMap(callEvents)) {
    signal.throwIfAborted();
    yield event;
    if (chunkDelayMs > 0) await delay(chunkDelayMs, undefined, { signal });
  }
  await loadTokenizer();
  signal.throwIfAborted();
  yield { type: "finish", reason: finishReason, usage: countUsage(request, reply) };
}

/** Truncates a text at the token limit. Calls are never truncated. */
async function cut(
  reply: Reply,
  maxTokens = Infinity,
): Promise<{ readonly reply: Reply; readonly finishReason: FinishReason }> {
  if (reply.type === "calls") return { reply, finishReason: "tool_calls" };
  if (maxTokens >= reply.text.length) return { reply, finishReason: "stop" };
  await loadTokenizer();
  let tokens = 0;
  const kept = chunks(reply.text, chunkLength);
  const end = kept.findIndex((chunk) => (tokens += countTokens(chunk)) > maxTokens);
  if (end < 0) return { reply, finishReason: "stop" };
  return { reply: { type: "text", text: kept.slice(0, end).join("") }, finishReason: "length" };
}

/** Ends a text before the first of the request's stop texts. */
function stopped(reply: Reply, { stop = [] }: ModelRequest): Reply {
  if (reply.type === "calls") return reply;
  const ends = stop.map((text) => reply.text.indexOf(text)).filter((at) => at >= 0);
  return ends.length === 0 ? reply : { type: "text", text: reply.text.slice(0, Math.min(...ends)) };
}

/** Writes a text as JSON if the request asks for JSON: a value of the schema, if there is one. */
function formatted(reply: Reply, { responseFormat }: ModelRequest): Reply {
  if (reply.type === "calls" || (responseFormat?.type ?? "text") === "text") return reply;
  const { text } = reply;
  const value =
    responseFormat?.type === "json_schema" ? schemaValue(responseFormat.schema, text) : { text };
  return { type: "text", text: JSON.stringify(value) };
}

function textEvents(text: string): readonly ModelEvent[] {
  return chunks(text, chunkLength).map((chunk) => ({ type: "text-delta", text: chunk }));
}

function callEvents(command: Command): readonly ModelEvent[] {
  const { name, arguments: args } = command;
  const id = `call_${crypto.randomUUID().replaceAll("-", "")}`;
  const size = Math.max(1, Math.min(12, Math.ceil(args.length / 2)));
  return [
    { type: "tool-call-start", id, name },
    ...chunks(args, size).map((delta) => ({ type: "tool-call-delta", id, delta }) as const),
    { type: "tool-call-end", id, name, arguments: args },
  ];
}

/** The approximate number of chunks of a long text: more would only delay other requests. */
const mostChunks = 4_000;

/** Splits a text into chunks of `size` code points, or of more if it is long. */
function chunks(text: string, size: number): readonly string[] {
  const length = Math.max(size, Math.ceil(text.length / mostChunks));
  return text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
}

/** Counts the tokens of a request and its reply with Capstan's own tokenizer. */
export function countUsage({ messages, tools }: ModelRequest, reply: Reply): Usage {
  const texts = [
    ...(tools.length === 0 ? [] : [JSON.stringify(tools)]),
    ...messages.flatMap(textsOf),
  ];
  const samples = samplesOf(texts);
  const counted = samples.reduce((sum, text) => sum + countTokens(text), 0);
  const share = lengthOf(texts) / Math.max(1, lengthOf(samples));
  const inputTokens = Math.round(counted * share);
  const said =
    reply.type === "text"
      ? countTokens(reply.text)
      : reply.calls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), 0);
  return { inputTokens, outputTokens: said };
}

/** Characters of a request that are counted. */
const countedLength = 4_000;

/** Returns the texts, or beginnings of some of them: a request can have 10,000 long messages. */
function samplesOf(texts: readonly string[]): readonly string[] {
  if (lengthOf(texts) <= countedLength) return texts;
  const step = Math.ceil(texts.length / 20);
  const some = texts.filter((_text, n) => n % step === 0);
  return some.map((text) => text.slice(0, Math.ceil(countedLength / some.length)));
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function textsOf(message: Message): readonly string[] {
  if (message.role === "user") return [textOfUser(message)];
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return [message.content, ...calls.map((call) => call.function.name + call.function.arguments)];
}
