import { createHash } from "node:crypto";
import type { Clock } from "@capstan/core";
import { type FilePart, type PartSource, systemClock } from "@capstan/core/host";

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
 * How long a temporary failure is cached, in ms. Each round of a run contains its documents again.
 */
const transientMs = 5 * 60 * 1_000;

/** A document in a message, whose bytes are read only if it must be converted. */
interface DocumentPart extends Pick<FilePart, "name" | "mimeType"> {
  readonly source: Exclude<PartSource, { readonly type: "url" }>;
  /** Returns the bytes, or undefined if they are not stored any more. */
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly signal: AbortSignal;
}

/** Converts documents of messages, each once. */
export interface DocumentCache extends Pick<DocumentConverter, "isConvertible"> {
  /** Returns undefined if the bytes of the document are missing. */
  convert(document: DocumentPart): Promise<DocumentMarkdown | undefined>;
}

interface CachedDocument {
  readonly text: DocumentMarkdown;
  /** When a temporary failure is evicted. */
  readonly until?: number;
}

/**
 * Returns a converter that caches its results, because each request of a run contains its documents
 * again. The bytes of a cached document are neither read nor hashed again. After a temporary
 * failure, for example a timeout, the document is converted again after five minutes.
 */
export function cacheDocuments(
  converter: DocumentConverter,
  clock: Pick<Clock, "now"> = systemClock,
): DocumentCache {
  const cached = new Map<string, CachedDocument>();
  let chars = 0;

  const evict = (key: string): void => {
    chars -= lengthOf(cached.get(key)?.text);
    cached.delete(key);
  };
  const keep = (key: string, entry: CachedDocument): void => {
    evict(key);
    cached.set(key, entry);
    chars += lengthOf(entry.text);
    for (const oldest of cached.keys()) {
      if (chars <= maxCachedChars) break;
      evict(oldest);
    }
  };

  return {
    isConvertible: (file) => converter.isConvertible(file),
    async convert({ name, mimeType, source, read, signal }) {
      const extension = /\.\w{1,8}$/.exec(name)?.[0].toLowerCase() ?? "";
      const key = `${digestOf(source)} ${mimeType} ${extension}`;
      const known = cached.get(key);
      if (known !== undefined && clock.now() < (known.until ?? Infinity)) {
        cached.delete(key);
        cached.set(key, known);
        return known.text;
      }
      const bytes = await read();
      if (bytes === undefined) return undefined;
      const text = await converter.convert({ name, mimeType, bytes, signal });
      const isTransient = text.status === "failed" && text.isTransient === true;
      keep(key, { text, ...(isTransient && { until: clock.now() + transientMs }) });
      return text;
    },
  };
}

/** The digests of documents in messages, so that each round of a run does not compute them again. */
const digests = new WeakMap<object, string>();

function digestOf(source: DocumentPart["source"]): string {
  if (source.type === "blob") return source.sha256;
  const known = digests.get(source);
  if (known !== undefined) return known;
  const digest = createHash("sha256").update(source.data, "base64").digest("hex");
  digests.set(source, digest);
  return digest;
}

function lengthOf(text: DocumentMarkdown | undefined): number {
  if (text === undefined) return 0;
  return text.status === "converted" ? text.markdown.length : text.reason.length;
}

/** Returns a text file with the content of a document, or with the reason if there is none. */
export function documentText(part: FilePart, text: DocumentMarkdown): FilePart {
  const content =
    text.status === "converted"
      ? text.markdown
      : `[This document (${part.mimeType}) could not be converted to text: ${text.reason}.]`;
  const data = Buffer.from(content).toString("base64");
  return { ...part, mimeType: "text/markdown", source: { type: "base64", data } };
}
