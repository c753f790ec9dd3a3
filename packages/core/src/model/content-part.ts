export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** @default "text/plain" */
  readonly mimeType?: string;
}

export interface ImagePart {
  readonly type: "image";
  /** Base64 data, or a URL. */
  readonly source:
    | { readonly type: "base64"; readonly data: string }
    | { readonly type: "url"; readonly url: string };
  readonly mimeType: string;
  readonly detail?: "low" | "high" | "auto";
}

export interface FilePart {
  readonly type: "file";
  readonly name: string;
  readonly source:
    | { readonly type: "base64"; readonly data: string }
    | { readonly type: "url"; readonly url: string };
  readonly mimeType: string;
}

export interface LinkPart {
  readonly type: "link";
  readonly url: string;
  readonly title?: string;
  readonly mimeType?: string;
}

/** A piece of what a person sends or a tool returns. */
export type ContentPart = TextPart | ImagePart | FilePart | LinkPart;

/** What is wrong with parts that a tool put together; undefined where nothing is. */
export function contentPartsProblem(parts: readonly ContentPart[]): string | undefined {
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
