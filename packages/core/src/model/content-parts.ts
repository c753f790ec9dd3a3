import type { ContentPart } from "./content-part.ts";

const marker = Symbol.for("capstan.content-parts");

/** What a tool may return instead of `data` to show pictures, files and links. */
export interface ContentParts {
  readonly [marker]: true;
  readonly parts: readonly ContentPart[];
}

/** @example return contentParts([{ type: "link", url: "https://example.org", title: "Example" }]); */
export function contentParts(parts: readonly ContentPart[]): ContentParts {
  return { [marker]: true, parts };
}

/** By its marker: fetched JSON must not pass for parts. */
export function isContentParts(value: unknown): value is ContentParts {
  return typeof value === "object" && value !== null && marker in value;
}

/** What is wrong with parts that a tool put together; undefined where nothing is. */
export function contentPartsProblem({ parts }: ContentParts): string | undefined {
  if (!Array.isArray(parts)) return "its content parts are not a list";
  const wrong = parts.findIndex((part: unknown) => !isContentPart(part));
  return wrong === -1
    ? undefined
    : `its content part ${wrong} is none: a type or a field is missing`;
}

export function isContentPart(part: unknown): part is ContentPart {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  const has = (name: string) => typeof (part as Record<string, unknown>)[name] === "string";
  switch (part.type) {
    case "text":
      return has("text");
    case "link":
      return has("url");
    case "image":
      return has("mimeType") && hasSource(part);
    case "file":
      return has("name") && has("mimeType") && hasSource(part);
    default:
      return false;
  }
}

function hasSource(part: object): boolean {
  const source: unknown = "source" in part ? part.source : undefined;
  if (typeof source !== "object" || source === null || !("type" in source)) return false;
  if (source.type === "url") return "url" in source && typeof source.url === "string";
  return source.type === "base64" && "data" in source && typeof source.data === "string";
}
