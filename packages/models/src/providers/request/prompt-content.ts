import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ContentPart } from "@capstan/core";
import { type FilePart, type ImagePart, neutralise, neutraliseOutside } from "@capstan/core/host";
import type { Dialect } from "./dialect.ts";

export type PromptPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

type Reads = Pick<Dialect, "readsData" | "readsUrls">;

/**
 * Returns the content of a user or a tool in a provider's form. It omits empty texts, which some
 * providers reject. It sends text files as text, because few providers accept them, and links as
 * URLs. It replaces content that the provider does not accept with a note, because the provider
 * would reject the whole request.
 */
export function promptParts(
  content: string | readonly ContentPart[],
  reads: Reads,
): readonly PromptPart[] {
  const parts =
    typeof content === "string"
      ? [textPart(content)]
      : content.map((part) => promptPart(part, reads));
  return parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
}

/** Joins consecutive texts with an empty line between them. */
export function joinTexts(parts: readonly PromptPart[]): PromptPart[] {
  const joined: PromptPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== "text" || last?.type !== "text") joined.push(part);
    else joined[joined.length - 1] = textPart(`${last.text}\n\n${part.text}`);
  }
  return joined;
}

export function textPart(text: string): LanguageModelV4TextPart {
  return { type: "text", text };
}

/** Escapes a file's text or name, so that it cannot imitate the log in the same message. */
function foreignText(text: string): LanguageModelV4TextPart {
  return textPart(neutraliseOutside(text));
}

function promptPart(part: ContentPart, reads: Reads): PromptPart {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "link":
      return foreignText(part.title === undefined ? part.url : `[${part.title}](${part.url})`);
    case "image":
      return (
        filePart(part, reads, {
          ...(part.detail !== undefined && {
            providerOptions: { openai: { imageDetail: part.detail } },
          }),
        }) ?? unreadable(part)
      );
    case "file":
      return (
        textOfFile(part) ??
        filePart(part, reads, { filename: neutralise(part.name) }) ??
        unreadable(part)
      );
  }
}

/** Returns the part in the provider's form, or `undefined` if the provider does not accept it. */
function filePart(
  { source, mimeType }: ImagePart | FilePart,
  { readsData, readsUrls }: Reads,
  rest: Partial<LanguageModelV4FilePart>,
): LanguageModelV4FilePart | undefined {
  const [, , inUrl] =
    source.type === "url" ? (/^data:([^;,]+);base64,(.+)$/s.exec(source.url) ?? []) : [];
  const data = source.type === "base64" ? source.data : inUrl;
  if (data !== undefined) {
    const mediaType = mediaTypeOf(mimeType);
    return data !== "" && readsData.test(mediaType)
      ? { type: "file", mediaType, data: { type: "data", data }, ...rest }
      : undefined;
  }
  const url = source.type === "url" ? webAddress(source.url) : undefined;
  if (url === undefined) return undefined;
  const mediaType = mediaTypeOf(mimeType, url);
  return readsUrls.test(mediaType)
    ? { type: "file", mediaType, data: { type: "url", url }, ...rest }
    : undefined;
}

/**
 * Returns the media type under the name that the providers use. If only the kind of a URL is known,
 * its file extension decides.
 */
function mediaTypeOf(mimeType: string, url?: URL): string {
  const type = mimeType.toLowerCase().split(";", 1)[0]?.trim() ?? "";
  const extension = /\.(png|jpe?g|webp|gif)$/i.exec(url?.pathname ?? "")?.[1]?.toLowerCase();
  const known = type === "image/*" && extension !== undefined ? `image/${extension}` : type;
  return known === "image/jpg" ? "image/jpeg" : known;
}

function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined;
}

function unreadable({ type, mimeType, source, ...rest }: ImagePart | FilePart): PromptPart {
  const name = "name" in rest ? rest.name : undefined;
  const address = source.type === "url" ? source.url.slice(0, 200) : undefined;
  const what = [type, name, address].filter((word) => word !== undefined).join(" ");
  return foreignText(`[${what} (${mimeType}): not sent, because this model does not accept it]`);
}

function textOfFile({ name, mimeType, source }: FilePart): PromptPart | undefined {
  if (source.type !== "base64" || !/^text\/|[/+](?:json|xml|yaml|javascript)$/.test(mimeType))
    return undefined;
  const text = new TextDecoder().decode(Buffer.from(source.data, "base64"));
  return foreignText(`<file name=${JSON.stringify(name)}>\n${text}\n</file>`);
}
