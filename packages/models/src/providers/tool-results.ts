import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ToolCallRequest, ToolMessage } from "@capstan/core";
import { type PromptPart, promptParts } from "./prompt-content.ts";
import type { Dialect } from "./provider.ts";

export interface ToolResults {
  /** One for each call, in the order of the calls. */
  readonly results: readonly LanguageModelV4ToolResultPart[];
  /** What cannot be a part of a result here, and follows as if a person had sent it. */
  readonly rest: readonly PromptPart[];
}

/** A call as it was sent, under the id it goes by in the prompt. */
export interface PromptCall {
  readonly call: ToolCallRequest;
  readonly promptId: string;
}

/**
 * Pairs the calls of a message with the results that follow it. Providers refuse a call without
 * a result and a result without a call; a stopped turn can leave the one, an edited history the
 * other.
 */
export function pairResults(
  calls: readonly PromptCall[],
  messages: readonly ToolMessage[],
  dialect: Dialect,
): ToolResults {
  const unpaired = new Set(messages);
  const rest: PromptPart[] = [];
  const results = calls.map(({ call, promptId }): LanguageModelV4ToolResultPart => {
    const message = [...unpaired].find((candidate) => candidate.tool_call_id === call.id);
    const base = {
      type: "tool-result",
      toolCallId: promptId,
      toolName: call.function.name,
    } as const;
    if (message === undefined) {
      return {
        ...base,
        output: { type: "error-text", value: "There is no result: the call was interrupted." },
      };
    }
    unpaired.delete(message);
    // Texts and links are in the content already.
    const shown = message.parts?.filter(({ type }) => type === "image" || type === "file");
    const files = promptParts(shown ?? []);
    if (files.length === 0) return { ...base, output: { type: "text", value: message.content } };
    if (dialect.filesInResults) {
      return {
        ...base,
        output: { type: "content", value: [{ type: "text", text: message.content }, ...files] },
      };
    }
    rest.push({ type: "text", text: `[Returned by ${call.function.name}:]` }, ...files);
    return { ...base, output: { type: "text", value: message.content } };
  });
  for (const { name, content } of unpaired)
    rest.push({ type: "text", text: `[Result of an earlier call of ${name}:]\n${content}` });
  return { results, rest };
}
