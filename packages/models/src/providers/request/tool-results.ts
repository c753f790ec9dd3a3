import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ToolMessage } from "@capstan/core";
import type { Dialect } from "./dialect.ts";
import { type PromptCall, promptName } from "./prompt-calls.ts";
import { joinTexts, type PromptPart, promptParts, textPart } from "./prompt-content.ts";

export interface ToolResults {
  /** One result for each call, in the order of the calls. */
  readonly results: readonly LanguageModelV4ToolResultPart[];
  /** Parts that the provider does not accept in a result. They follow as a user message. */
  readonly rest: readonly PromptPart[];
}

/**
 * Pairs the calls of a message with the results that follow it. Providers reject a call without a
 * result, which a stopped turn can leave, and a result without a call, which an edited history can
 * contain.
 */
export function pairResults(
  calls: readonly PromptCall[],
  messages: readonly ToolMessage[],
  dialect: Dialect,
): ToolResults {
  const unpaired = new Set(messages);
  const rest: PromptPart[] = [];
  const results = calls.map(({ call, promptId, promptName }): LanguageModelV4ToolResultPart => {
    const message = [...unpaired].find((candidate) => candidate.tool_call_id === call.id);
    const base = { type: "tool-result", toolCallId: promptId, toolName: promptName } as const;
    if (message === undefined) {
      return {
        ...base,
        output: { type: "error-text", value: "There is no result: the call was interrupted." },
      };
    }
    unpaired.delete(message);
    const text = message.content.trim() === "" ? "(no result)" : message.content;
    // Texts and links are already in the content.
    const shown = message.parts?.filter(({ type }) => type === "image" || type === "file") ?? [];
    const parts = promptParts(shown, dialect);
    const inside = parts.filter((part) => isTakenInResults(part, dialect));
    const outside = parts.filter((part) => !inside.includes(part));
    if (outside.length > 0) rest.push(textPart(`[Returned by ${promptName}:]`), ...outside);
    if (inside.length === 0) return { ...base, output: { type: "text", value: text } };
    // Join the texts and put them first, because some providers turn each text into its own result.
    const texts = joinTexts([textPart(text), ...inside.filter(({ type }) => type === "text")]);
    const files = inside.filter(({ type }) => type !== "text");
    return { ...base, output: { type: "content", value: [...texts, ...files] } };
  });
  for (const { name, content } of unpaired)
    rest.push(textPart(`[Result of an earlier call of ${promptName(name, dialect)}:]\n${content}`));
  return { results, rest };
}

function isTakenInResults(part: PromptPart, { filesInResults }: Dialect): boolean {
  if (filesInResults === "none") return false;
  return part.type === "text" || filesInResults === "all" || part.data.type === "data";
}
