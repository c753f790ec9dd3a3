import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, JsonObject, Message, ToolMessage } from "@capstan/core";
import { createPromptCallIds } from "./prompt-call-ids.ts";
import { type PromptPart, promptParts } from "./prompt-content.ts";
import type { Dialect } from "./provider.ts";
import { pairResults, type PromptCall } from "./tool-results.ts";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** A conversation in OpenAI Chat's form, as the prompt of a provider that speaks `dialect`. */
export function toPrompt(messages: readonly Message[], dialect: Dialect): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const callId = createPromptCallIds();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    switch (message?.role) {
      case undefined:
        break;
      case "system":
      case "developer":
        if (dialect.systemAnywhere || prompt.every(({ role }) => role === "system")) {
          prompt.push({ role: "system", content: message.content });
        } else {
          addUserParts(prompt, [{ type: "text", text: framed(message.content) }]);
        }
        break;
      case "user":
        addUserParts(prompt, promptParts(message.content));
        break;
      case "assistant":
      case "tool": {
        const calling = message.role === "assistant" ? message : undefined;
        const results = followingResults(messages, calling === undefined ? index : index + 1);
        const calls = (calling?.tool_calls ?? []).map((call): PromptCall => ({
          call,
          promptId: callId(call.id),
        }));
        addTurn(prompt, { message: calling, calls, results, dialect });
        index += results.length - (calling === undefined ? 1 : 0);
        break;
      }
    }
  }
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
  if (content.length > 0) prompt.push({ role: "assistant", content });
  const paired = pairResults(calls, results, dialect);
  if (paired.results.length > 0) prompt.push({ role: "tool", content: [...paired.results] });
  addUserParts(prompt, paired.rest);
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
  for (const { text, providerMetadata } of reasoning ?? []) {
    const isOurs = providerMetadata !== undefined && dialect.metadataKey in providerMetadata;
    const isPlain = providerMetadata === undefined && dialect.unsignedReasoning;
    if (isOurs || isPlain) parts.push({ type: "reasoning", text, ...optionsOf(providerMetadata) });
  }
  if (content !== "") parts.push({ type: "text", text: content });
  for (const { call, promptId } of calls) {
    const { name, arguments: args } = call.function;
    const input = argumentsOf(args);
    parts.push({
      type: "tool-call",
      toolCallId: promptId,
      toolName: name,
      input,
      ...optionsOf(call.providerMetadata),
    });
  }
  return parts;
}

/** The text as the model wrote it where that is an object; providers take nothing else. */
function argumentsOf(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Falls through: what the model wrote is shown to it as it was.
  }
  return { invalid_arguments: text };
}

function optionsOf(metadata: JsonObject | undefined): {
  readonly providerOptions?: SharedV4ProviderOptions;
} {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

/** Messages of a person in a row become one: some servers insist that speakers take turns. */
function addUserParts(prompt: LanguageModelV4Prompt, parts: readonly PromptPart[]): void {
  if (parts.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role !== "user") {
    prompt.push({ role: "user", content: [...parts] });
    return;
  }
  for (const part of parts) {
    const before = last.content.at(-1);
    if (part.type === "text" && before?.type === "text") before.text += `\n\n${part.text}`;
    else last.content.push(part);
  }
}

/** A developer's message where the provider has no such role. A turn's log is framed already. */
function framed(content: string): string {
  if (content.startsWith("<turn-log>")) return content;
  return `<developer-message>\n${content}\n</developer-message>`;
}
