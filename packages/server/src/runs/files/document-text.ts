import { createHash } from "node:crypto";
import type { FilePart } from "@capstan/core/host";

/** A document as Markdown, or why it could not be converted. */
export type DocumentMarkdown =
  | { readonly status: "converted"; readonly markdown: string }
  | {
      readonly status: "failed";
      readonly reason: string;
      /** Whether another attempt may succeed, for example after a timeout. @default false */
      readonly isTransient?: boolean;
    };

/** Converts documents to Markdown. The composition root supplies it. */
export interface DocumentConverter {
  isConvertible(file: Pick<FilePart, "name" | "mimeType">): boolean;
  convert(
    document: Pick<FilePart, "name" | "mimeType"> & {
      readonly bytes: Uint8Array;
      readonly signal: AbortSignal;
    },
  ): Promise<DocumentMarkdown>;
}

/** The maximum characters of the cached documents together. */
const maxCachedChars = 32_000_000;

/**
 * Returns a converter that caches its results, because each request of a run contains its documents
 * again. Failures that may pass, such as timeouts, are not cached.
 */
export function cacheDocuments(converter: DocumentConverter): DocumentConverter {
  const cached = new Map<string, DocumentMarkdown>();
  let chars = 0;

  const keep = (key: string, text: DocumentMarkdown): void => {
    if (cached.has(key)) return;
    cached.set(key, text);
    chars += lengthOf(text);
    for (const [oldest, old] of cached) {
      if (chars <= maxCachedChars) break;
      cached.delete(oldest);
      chars -= lengthOf(old);
    }
  };

  return {
    isConvertible: (file) => converter.isConvertible(file),
    async convert(document) {
      const { name, mimeType, bytes } = document;
      const extension = /\.\w{1,8}$/.exec(name)?.[0].toLowerCase() ?? "";
      const digest = createHash("sha256").update(bytes).digest("hex");
      const key = `${digest} ${mimeType} ${extension}`;
      const known = cached.get(key);
      if (known !== undefined) {
        cached.delete(key);
        cached.set(key, known);
        return known;
      }
      const text = await converter.convert(document);
      if (text.status === "converted" || text.isTransient !== true) keep(key, text);
      return text;
    },
  };
}

function lengthOf(text: DocumentMarkdown): number {
  return text.status === "converted" ? text.markdown.length : text.reason.length;
}

/** Returns a text file with the content of a document, or with the reason if there is none. */
export async function documentText(
  converter: DocumentConverter,
  part: FilePart,
  { bytes, signal }: { readonly bytes: Uint8Array; readonly signal: AbortSignal },
): Promise<FilePart> {
  const { name, mimeType } = part;
  const text = await converter.convert({ name, mimeType, bytes, signal });
  const content =
    text.status === "converted"
      ? text.markdown
      : `[This document (${mimeType}) could not be converted to text: ${text.reason}.]`;
  const data = Buffer.from(content).toString("base64");
  return { ...part, mimeType: "text/markdown", source: { type: "base64", data } };
}
