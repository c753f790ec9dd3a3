import { measureJson } from "@capstan/core/base";
import { ConnectionError } from "./connection-error.ts";
import type { MessageBudget } from "./message-budget.ts";
import {
  exceededLimit,
  largestMessage,
  type ParsedMessage,
  messageLimits,
} from "./message-limits.ts";
import { parseMessage } from "./parse-message.ts";
import type { ParsedResults } from "./parsed-results.ts";
import { lineReader } from "./read-lines.ts";

/** The maximum number of lines of one event. */
const mostLines = 10_000;
/** The library parses messages with fewer bytes: they have few values. */
const shortBytes = 65_536;
/** The maximum length of the error message in a long answer, in characters. */
const longestError = 8_000;

/** The limit of a session's messages, and their parsed results. */
export interface MessageReading {
  readonly budget: MessageBudget;
  readonly results: ParsedResults;
}

type BodyOptions = MessageReading & { readonly name: string };

/**
 * Returns the transformer for the body of a response with messages: it passes on messages within the
 * limits. A thread parses the results of long messages, and `results` keeps them. It throws a
 * `ConnectionError` at a message beyond the limits. A server that sends too much without being asked
 * is read slowly.
 */
export function messageTransformer(
  options: BodyOptions & { readonly isStream: boolean },
): Transformer<Uint8Array, Uint8Array> {
  return options.isStream ? eventTransformer(options) : jsonTransformer(options);
}

function jsonTransformer(options: BodyOptions): Transformer<Uint8Array, Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    transform(chunk) {
      size += chunk.length;
      if (size > largestMessage) throw beyond(options.name, exceededLimit("too_large"));
      parts.push(chunk);
    },
    async flush(controller) {
      const { bytes, values } = await limitedMessage(Buffer.concat(parts), options);
      await options.budget.take({ bytes: size, values });
      controller.enqueue(bytes);
    },
  };
}

/**
 * Writes each event again, so that the library finds the same messages in the stream, even if its
 * lines have unusual ends.
 */
function eventTransformer(options: BodyOptions): Transformer<Uint8Array, Uint8Array> {
  const linesOf = lineReader({ longest: largestMessage, returns: true });
  let [size, lines] = [0, 0];
  let data: Buffer[] = [];
  let others: string[] = [];
  return {
    async transform(chunk, controller) {
      for (const line of linesOf(chunk)) {
        if (line.status === "too_long") throw beyond(options.name, exceededLimit("too_large"));
        size += line.size;
        lines += 1;
        if (size > largestMessage) throw beyond(options.name, exceededLimit("too_large"));
        if (lines > mostLines) throw beyond(options.name, `more than ${mostLines} lines`);
        if (line.size > 0) {
          const { field, value } = fieldOf(Buffer.concat(line.parts));
          if (field === "data") data.push(value);
          else if (/^(?:id|event|retry)$/.test(field)) others.push(`${field}: ${String(value)}\n`);
          continue;
        }
        // Between the lines of JSON, a space means the same as a line feed.
        const message = data.length === 0 ? undefined : await limitedMessage(joined(data), options);
        const wait = options.budget.take({ bytes: size, values: message?.values ?? 0 });
        if (others.length > 0 || message !== undefined)
          controller.enqueue(eventBytes(others, message?.bytes));
        [size, lines, data, others] = [0, 0, [], []];
        await wait;
      }
    },
  };
}

function joined(lines: readonly Buffer[]): Buffer {
  const space = Buffer.from(" ");
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [space, line])));
}

function eventBytes(others: readonly string[], data: Uint8Array | undefined): Uint8Array {
  const end = Buffer.from("\n");
  return Buffer.concat([
    Buffer.from(others.join("")),
    ...(data === undefined ? [] : [Buffer.from("data: "), data, end]),
    end,
  ]);
}

/** Splits a line of an event stream. A comment has an empty field name. */
function fieldOf(line: Buffer): { readonly field: string; readonly value: Buffer } {
  const colon = line.indexOf(":");
  const field = line.toString("utf8", 0, colon === -1 ? undefined : Math.min(colon, 20));
  if (colon === -1) return { field, value: Buffer.alloc(0) };
  return { field, value: line.subarray(colon + (line[colon + 1] === 0x20 ? 2 : 1)) };
}

/**
 * Returns the bytes for the library, in which a key replaces a long result.
 *
 * @throws ConnectionError if the message has too many values or levels
 */
async function limitedMessage(
  bytes: Buffer,
  { name, results }: BodyOptions,
): Promise<{ readonly bytes: Uint8Array; readonly values: number }> {
  if (bytes.length <= shortBytes) {
    const size = measureJson(bytes, messageLimits);
    if (size.status !== "measured") throw beyond(name, exceededLimit(size.status));
    return { bytes, values: size.values };
  }
  const parsed: ParsedMessage = await parseMessage([bytes]);
  if (parsed.status === "invalid") return { bytes, values: 0 };
  if (parsed.status !== "parsed") throw beyond(name, exceededLimit(parsed.status));
  const { message, values } = parsed;
  const short = Array.isArray(message)
    ? message.map((one: unknown) => shortAnswer(one, results) ?? one)
    : shortAnswer(message, results);
  return { bytes: short === undefined ? bytes : Buffer.from(JSON.stringify(short)), values };
}

/** Returns a short answer for a long one; undefined if the message is not an answer. */
function shortAnswer(message: unknown, results: ParsedResults): object | undefined {
  if (typeof message !== "object" || message === null || "method" in message) return undefined;
  if ("result" in message) return { ...message, result: results.keep(message.result) };
  if (!("error" in message)) return undefined;
  const { code, message: text } = (message.error ?? {}) as { code?: unknown; message?: unknown };
  return { ...message, error: { code, message: String(text).slice(0, longestError) } };
}

function beyond(name: string, limit: string): ConnectionError {
  return new ConnectionError({
    code: "too_large",
    message: `The server of ${name} sent a message of ${limit}. Ask for less at a time.`,
  });
}
