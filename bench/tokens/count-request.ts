import type { Message, ModelRequest, ToolDefinition } from "@capstan/core";
import { countTokens } from "@capstan/models";

/** A request in the units of a provider's cache: tools, then messages, each with its tokens. */
export type Segments = readonly { readonly text: string; readonly tokens: number }[];

/** The approximate wire overhead of a message or a definition. */
const frameTokens = 4;
/** The longest text that the tokenizer counts exactly. */
const exactLength = 16_000;
const known = new Map<string, number>();

export function segmentsOf({ tools, messages }: ModelRequest): Segments {
  return [...tools.map(toolText), ...messages.map(messageText)].map((text) => ({
    text,
    tokens: exactTokens(text) + frameTokens,
  }));
}

/** Counts all tokens of a text. It is split at line ends, where tokens end too. */
export function exactTokens(text: string): number {
  const counted = known.get(text);
  if (counted !== undefined) return counted;
  let tokens = 0;
  for (let from = 0; from < text.length;) {
    const line = text.lastIndexOf("\n", from + exactLength);
    const to =
      text.length - from <= exactLength ? text.length : line > from ? line : from + exactLength;
    tokens += countTokens(text.slice(from, to));
    from = to;
  }
  known.set(text, tokens);
  return tokens;
}

function toolText({ function: spec }: ToolDefinition): string {
  return JSON.stringify(spec);
}

function messageText(message: Message): string {
  const { role } = message;
  const content =
    typeof message.content === "string" ? message.content : JSON.stringify(message.content);
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const made = calls.map(
    ({ id, function: { name, arguments: args } }) => `\n${id} ${name} ${args}`,
  );
  const answered = message.role === "tool" ? `${message.tool_call_id}\n` : "";
  return `${role}\n${answered}${content}${made.join("")}`;
}
