import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, JsonObject, Message, ToolMessage } from "@capstan/core";
import type { Dialect } from "./dialect.ts";
import { createPromptCalls, type PromptCall } from "./prompt-calls.ts";
import { joinTexts, type PromptPart, promptParts, textPart } from "./prompt-content.ts";
import { pairResults } from "./tool-results.ts";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/**
 * Converts a conversation in the form of Chat Completions to a prompt for a provider. The provider
 * accepts the prompt even if the conversation has stopped, rejected, lost or invented calls.
 *
 * @param custom names of the tools whose text the model writes itself
 */
export function toPrompt(
  messages: readonly Message[],
  dialect: Dialect,
  custom: ReadonlySet<string> = new Set(),
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const promptCall = createPromptCalls(dialect, custom);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    switch (message?.role) {
      case undefined:
        break;
      case "system":
      case "developer":
        if (message.content.trim() === "") break;
        if (dialect.systemAnywhere || prompt.every(({ role }) => role === "system")) {
          prompt.push({ role: "system", content: message.content });
        } else {
          addUserParts(prompt, [textPart(framed(message.content))]);
        }
        break;
      case "user": {
        const parts = promptParts(message.content, dialect);
        addUserParts(prompt, parts.length > 0 ? parts : [textPart("(an empty message)")]);
        break;
      }
      case "assistant":
      case "tool": {
        const calling = message.role === "assistant" ? message : undefined;
        const results = followingResults(messages, calling === undefined ? index : index + 1);
        const calls = (calling?.tool_calls ?? []).map(promptCall);
        addTurn(prompt, { message: calling, calls, results, dialect });
        index += results.length - (calling === undefined ? 1 : 0);
        break;
      }
    }
  }
  if (prompt.length === 0 || (dialect.strictTurns && !endsWithUser(prompt)))
    addUserParts(prompt, [filler(prompt)]);
  return prompt;
}

interface Turn {
  readonly message: AssistantMessage | undefined;
  readonly calls: readonly PromptCall[];
  readonly results: readonly ToolMessage[];
  readonly dialect: Dialect;
}

function addTurn(prompt: LanguageModelV4Prompt, { message, calls, results, dialect }: Turn): void {
  const content = message === undefined ? [] : assistantContent(message, calls, dialect);
  if (content.length > 0) {
    if (dialect.strictTurns && !endsWithUser(prompt)) addUserParts(prompt, [filler(prompt)]);
    prompt.push({ role: "assistant", content });
  }
  const paired = pairResults(calls, results, dialect);
  if (paired.results.length > 0) prompt.push({ role: "tool", content: [...paired.results] });
  addUserParts(prompt, paired.rest);
}

/**
 * Returns a user message to insert between two answers if roles must alternate and there is none.
 */
function filler(prompt: LanguageModelV4Prompt): PromptPart {
  const isFirst = prompt.every(({ role }) => role === "system");
  return textPart(isFirst ? "(The conversation begins.)" : "(Go on.)");
}

/**
 * Whether the prompt ends with a user's turn. Tool results count as one, because they are sent in
 * the user's role.
 */
function endsWithUser(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.at(-1)?.role;
  return last === "user" || last === "tool";
}

function followingResults(messages: readonly Message[], start: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let index = start; messages[index]?.role === "tool"; index++)
    results.push(messages[index] as ToolMessage);
  return results;
}

function assistantContent(
  { content, reasoning }: AssistantMessage,
  calls: readonly PromptCall[],
  dialect: Dialect,
): AssistantContent {
  const parts: AssistantContent = [];
  if (content.trim() !== "") parts.push(textPart(content));
  for (const { call, promptId, promptName, input } of calls) {
    parts.push({
      type: "tool-call",
      toolCallId: promptId,
      toolName: promptName,
      input,
      ...optionsOf(call.providerMetadata),
    });
  }
  // The answer was cut off during the reasoning. No provider accepts reasoning alone.
  if (parts.length === 0) return parts;
  const thoughts: AssistantContent = [];
  for (const { text, providerMetadata } of reasoning ?? []) {
    const isOurs = providerMetadata !== undefined && dialect.metadataKey in providerMetadata;
    const isPlain = providerMetadata === undefined && dialect.unsignedReasoning;
    if (isOurs || isPlain)
      thoughts.push({ type: "reasoning", text, ...optionsOf(providerMetadata) });
  }
  return [...thoughts, ...parts];
}

function optionsOf(metadata: JsonObject | undefined): {
  readonly providerOptions?: SharedV4ProviderOptions;
} {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

/** Joins consecutive user messages, because some servers require that roles alternate. */
function addUserParts(prompt: LanguageModelV4Prompt, parts: readonly PromptPart[]): void {
  if (parts.length === 0) return;
  const last = prompt.at(-1);
  const before = last?.role === "user" ? last.content : [];
  if (last?.role === "user") prompt.pop();
  prompt.push({ role: "user", content: joinTexts([...before, ...parts]) });
}

/**
 * Returns a developer message for providers without this role. A turn's log already has its own
 * frame.
 */
function framed(content: string): string {
  if (content.startsWith("<turn-log>")) return content;
  return `<developer-message>\n${content}\n</developer-message>`;
}
