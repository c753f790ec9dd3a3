import { safeParse } from "zod/v4/core";
import { z } from "zod/mini";

/** Text in a message. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** @default "text/plain" */
  readonly mimeType?: string;
}

/** The location of an image's or a file's bytes. */
export type PartSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  /** Stored by the host under their hash. The host loads them before a model gets the message. */
  | { readonly type: "blob"; readonly sha256: string; readonly size: number };

/** An image in a message. */
export interface ImagePart {
  readonly type: "image";
  readonly source: PartSource;
  readonly mimeType: string;
  readonly detail?: "low" | "high" | "auto";
  /** The id of the stored file, if the host stores the files that tools return. */
  readonly fileId?: string;
  readonly name?: string;
  /** A text that replaces the image for readers who cannot see it. */
  readonly alt?: string;
}

/** A file in a message. */
export interface FilePart {
  readonly type: "file";
  readonly name: string;
  readonly source: PartSource;
  readonly mimeType: string;
  /** The id of the stored file, if the host stores the files that tools return. */
  readonly fileId?: string;
}

/** A link in a message. */
export interface LinkPart {
  readonly type: "link";
  readonly url: string;
  readonly title?: string;
  readonly mimeType?: string;
}

/** A piece of a user's message or a tool's result. */
export type ContentPart = TextPart | ImagePart | FilePart | LinkPart;

const text = z.string();
const source = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), data: text }),
  z.looseObject({ type: z.literal("url"), url: text }),
  z.looseObject({ type: z.literal("blob"), sha256: text }),
]);
const knownPart = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text }),
  z.looseObject({ type: z.literal("link"), url: text }),
  z.looseObject({ type: z.literal("image"), mimeType: text, source }),
  z.looseObject({ type: z.literal("file"), name: text, mimeType: text, source }),
]);

/** A content part. An invalid part is reported as one problem, not as one for each field. */
export const contentPartSchema = z.custom<ContentPart>(
  isContentPart,
  'a content part such as {"type":"text","text":"…"} or {"type":"image","mimeType":"image/png","source":{"type":"url","url":"…"}}',
);

/** Returns whether a value is a valid content part. */
export function isContentPart(part: unknown): part is ContentPart {
  return safeParse(knownPart, part).success;
}

/**
 * Returns the problem of the parts that a tool returned, or `undefined` if they are valid.
 *
 * @param isKnownFile whether the host stored a file for this session
 */
export function contentPartsProblem(
  parts: readonly ContentPart[],
  isKnownFile: (fileId: string, sha256: string) => boolean = () => false,
): string | undefined {
  if (!Array.isArray(parts)) return "its content parts are not a list";
  // A tool may pass on a stored file of its sub-call. Otherwise only the host refers to stored
  // bytes: a tool could name another user's.
  const isForeign = (part: ContentPart) =>
    isStored(part) && !(part.fileId !== undefined && isKnownFile(part.fileId, part.source.sha256));
  const wrong = parts.findIndex((part: unknown) => !isContentPart(part) || isForeign(part));
  return wrong === -1
    ? undefined
    : `its content part ${wrong} is invalid: a type or a field is missing`;
}

function isStored(
  part: ContentPart,
): part is (ImagePart | FilePart) & { source: Extract<PartSource, { type: "blob" }> } {
  return "source" in part && part.source.type === "blob";
}
