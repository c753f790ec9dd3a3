import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ContentPart, FilePart, ImagePart } from "@capstan/core";

export type PromptPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/**
 * What a person sent or a tool returned, in a provider's form. A file that is text goes as text,
 * since only few providers read text files; a link goes as its address.
 */
export function promptParts(content: string | readonly ContentPart[]): readonly PromptPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content.map(promptPart);
}

function promptPart(part: ContentPart): PromptPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "link":
      return {
        type: "text",
        text: part.title === undefined ? part.url : `[${part.title}](${part.url})`,
      };
    case "image":
      return filePart(
        part,
        part.detail === undefined
          ? {}
          : { providerOptions: { openai: { imageDetail: part.detail } } },
      );
    case "file":
      return textOfFile(part) ?? filePart(part, { filename: part.name });
  }
}

function filePart(part: ImagePart | FilePart, rest: Partial<LanguageModelV4FilePart>): PromptPart {
  const { source, mimeType: mediaType } = part;
  if (source.type === "base64")
    return { type: "file", mediaType, data: { type: "data", data: source.data }, ...rest };
  const dataUrl = /^data:([^;,]+);base64,(.*)$/s.exec(source.url);
  if (dataUrl?.[2] !== undefined)
    return { type: "file", mediaType, data: { type: "data", data: dataUrl[2] }, ...rest };
  if (!URL.canParse(source.url)) return { type: "text", text: `[${part.type} ${source.url}]` };
  return { type: "file", mediaType, data: { type: "url", url: new URL(source.url) }, ...rest };
}

function textOfFile({ name, mimeType, source }: FilePart): PromptPart | undefined {
  if (source.type !== "base64" || !/^text\/|[/+](?:json|xml|yaml|javascript)$/.test(mimeType))
    return undefined;
  const text = new TextDecoder().decode(Buffer.from(source.data, "base64"));
  return { type: "text", text: `<file name=${JSON.stringify(name)}>\n${text}\n</file>` };
}
