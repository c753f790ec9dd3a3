import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PromptPart } from "../request/prompt-content.ts";
import { fieldsOf, textOf } from "./fields.ts";

type Content<Role> = Extract<LanguageModelV4Message, { readonly role: Role }>["content"];

/**
 * Returns a prompt as messages of Chat Completions.
 *
 * @param metadataKey the key of the calls' metadata
 */
export function chatMessages(
  prompt: LanguageModelV4Prompt,
  metadataKey: string,
): readonly object[] {
  return prompt.flatMap((message): readonly object[] => {
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }];
      case "user":
        return [{ role: "user", content: userContent(message.content) }];
      case "assistant":
        return [assistantMessage(message.content, metadataKey)];
      case "tool":
        return message.content.flatMap(resultMessage);
    }
  });
}

function userContent(parts: readonly PromptPart[]): string | readonly object[] {
  const [only] = parts;
  // Some servers accept only texts.
  return parts.length === 1 && only?.type === "text" ? only.text : parts.map(chatPart);
}

function assistantMessage(content: Content<"assistant">, metadataKey: string): object {
  let [text, reasoning] = ["", ""];
  const calls: object[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    if (part.type === "reasoning") reasoning += part.text;
    if (part.type !== "tool-call") continue;
    const { toolCallId: id, toolName: name, input, providerOptions = {} } = part;
    const signature =
      textOf(fieldsOf(providerOptions[metadataKey])["thoughtSignature"]) ??
      textOf(fieldsOf(providerOptions["google"])["thoughtSignature"]);
    const args = typeof input === "string" ? input : JSON.stringify(input);
    calls.push({
      id,
      type: "function",
      function: { name, arguments: args },
      ...(signature !== undefined && {
        extra_content: { google: { thought_signature: signature } },
      }),
    });
  }
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function resultMessage(result: Content<"tool">[number]): readonly object[] {
  if (result.type !== "tool-result") return [];
  const { toolCallId, output } = result;
  // The dialect has moved all files out of the results.
  const content = "value" in output && typeof output.value === "string" ? output.value : "";
  return [{ role: "tool", tool_call_id: toolCallId, content }];
}

function chatPart(part: PromptPart): object {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType, filename, providerOptions } = part;
  const data = part.data.type === "data" ? String(part.data.data) : "";
  const url = part.data.type === "url" ? part.data.url.href : `data:${mediaType};base64,${data}`;
  const [kind] = mediaType.split("/", 1);
  if (kind === "image") {
    const detail = fieldsOf(providerOptions?.["openai"])["imageDetail"];
    return { type: "image_url", image_url: { url, ...(detail !== undefined && { detail }) } };
  }
  if (kind === "video") return { type: "video_url", video_url: { url } };
  if (kind === "audio") {
    const format = mediaType === "audio/wav" ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data, format } };
  }
  return { type: "file", file: { filename: filename ?? "document.pdf", file_data: url } };
}
