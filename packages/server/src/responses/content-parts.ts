import type { ContentPart } from "@capstan/core";
import type { StoredData } from "../http/stored-data.ts";
import type { FilePart, ImagePart } from "@capstan/core/host";
import type { InputContent } from "./request/input-item.ts";

/** Text alone is text; anything with a picture or a file is parts. */
export function messageContent(content: readonly InputContent[]): string | readonly ContentPart[] {
  const parts = content.map(contentPart);
  const texts = parts.map((part) => (part.type === "text" ? part.text : undefined));
  return texts.includes(undefined) ? parts : texts.join("\n");
}

/** What of a content can be read as text. */
export function contentText(content: readonly InputContent[]): string {
  return content
    .map(contentPart)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

export function contentPart(part: InputContent): ContentPart {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "text", text: part.refusal };
    case "input_image":
      return imagePart(part);
    case "input_file":
      return filePart(part);
    case "input_video":
      return { type: "file", name: "video", ...source(part.video_url, "video/*") };
  }
}

function imagePart({
  image_url: url,
  detail,
}: Extract<InputContent, { type: "input_image" }>): ImagePart {
  return { type: "image", detail, ...source(url, "image/*") };
}

function filePart(part: Extract<InputContent, { type: "input_file" }>): FilePart {
  const { filename, file_data: data, file_url: url } = part;
  const name = filename ?? nameInUrl(url) ?? "file";
  const mimeType = mimeTypeOf(name);
  if (url !== undefined) return { type: "file", name, ...source(url, mimeType) };
  const text = data ?? "";
  if (typeof text !== "string" || text.startsWith("data:"))
    return { type: "file", name, ...source(text, mimeType) };
  return { type: "file", name, mimeType, source: { type: "base64", data: text } };
}

/** The content of a `data:` URL, else the URL itself. */
function source(url: string | StoredData, mimeType: string): Pick<FilePart, "source" | "mimeType"> {
  if (typeof url !== "string") {
    const type = /^data:([^;,]+)/.exec(url.prefix)?.[1] ?? mimeType;
    return { mimeType: type, source: { type: "blob", sha256: url.sha256, size: url.size } };
  }
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma === -1) return { mimeType, source: { type: "url", url } };
  const [type, ...parameters] = url.slice("data:".length, comma).split(";");
  const body = url.slice(comma + 1);
  const data = parameters.includes("base64") ? body : base64(body);
  return {
    mimeType: type === undefined || type === "" ? mimeType : type,
    source: { type: "base64", data },
  };
}

/** The other form of `data:` URL, whose text is percent-encoded. */
function base64(percentEncoded: string): string {
  let text = percentEncoded;
  try {
    text = decodeURIComponent(percentEncoded);
  } catch {
    // A stray `%`: it stands for itself.
  }
  return Buffer.from(text).toString("base64");
}

function nameInUrl(url: string | StoredData | undefined): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const name = new URL(url).pathname.split("/").at(-1);
  return name === "" ? undefined : name;
}

/** Enough to tell a model what it is given; what is not listed is bytes. */
const mimeTypes: { readonly [extension: string]: string } = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  txt: "text/plain",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

function mimeTypeOf(name: string): string {
  const extension = name.split(".").at(-1)?.toLowerCase() ?? "";
  const known = Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] : undefined;
  return known ?? "application/octet-stream";
}
