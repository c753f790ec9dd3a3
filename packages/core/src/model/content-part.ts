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
