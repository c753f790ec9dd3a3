import type { Message } from "../../model/message.ts";
import type { Usage } from "../../model/usage.ts";
import { estimateTokens } from "../../text/truncate.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ToolDefinition } from "../../model/tool-definition.ts";

/** About what providers take for a picture or a page; the data itself says little. */
const tokensOfData = 1_000;

/**
 * Counts tokens of a request and its answer where the provider did not: a usage of 0 is none.
 *
 * @param countTokens one that gives no count is replaced by four characters to a token
 */
export class UsageEstimate {
  readonly #countTokens: (text: string) => number;
  /** The same messages come again with every round. */
  readonly #counted = new WeakMap<object, number>();

  constructor(countTokens: (text: string) => number) {
    this.#countTokens = countTokens;
  }

  /** The usage with what is missing in it counted, and then `estimated`. */
  of(
    usage: Usage,
    request: readonly Message[],
    tools: readonly ToolDefinition[],
    answer: Message,
  ): Usage {
    if (usage.inputTokens > 0 && usage.outputTokens > 0) return usage;
    const inputTokens = usage.inputTokens || this.#sum(request) + this.#sum(tools);
    const outputTokens = usage.outputTokens || this.#tokens(answer);
    return { ...usage, inputTokens, outputTokens, estimated: true };
  }

  #sum(things: readonly (Message | ToolDefinition)[]): number {
    return things.reduce((sum, thing) => sum + this.#tokens(thing), 0);
  }

  #tokens(thing: Message | ToolDefinition): number {
    const before = this.#counted.get(thing);
    if (before !== undefined) return before;
    const text = "role" in thing ? textOf(thing) : JSON.stringify(thing);
    const counted = this.#countTokens(text);
    const isCount = Number.isFinite(counted) && counted >= 0;
    const parts = "role" in thing ? partsOf(thing) : [];
    const data = parts.filter(({ type }) => type === "image" || type === "file").length;
    const tokens = (isCount ? counted : estimateTokens(text)) + data * tokensOfData;
    this.#counted.set(thing, tokens);
    return tokens;
  }
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === "user") return typeof message.content === "string" ? [] : message.content;
  return message.role === "tool" ? (message.parts ?? []) : [];
}

function textOf(message: Message): string {
  const { content } = message;
  const texts = [typeof content === "string" ? content : ""];
  for (const part of partsOf(message)) if (part.type === "text") texts.push(part.text);
  if (message.role === "assistant") {
    for (const { text } of message.reasoning ?? []) texts.push(text);
    for (const { function: called } of message.tool_calls ?? [])
      texts.push(called.name, called.arguments);
  }
  return texts.join("\n");
}
