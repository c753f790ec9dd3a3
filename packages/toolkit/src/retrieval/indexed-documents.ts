import { createHash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { documentText, type DocumentText } from "./document-text.ts";
import { hashWords, type WordHashes } from "./hash-words.ts";
import { indexWords } from "./index-words.ts";
import { splitText, type TextChunk } from "./split-text.ts";

/** A part of a document with its words in their indexed form. */
export interface IndexedChunk extends TextChunk {
  readonly words: WordHashes;
}

/** A document of a conversation or a folder, whose bytes are read only if it is not cached. */
export interface GivenDocument {
  readonly name: string;
  readonly mimeType: string;
  /** Identifies the bytes if they need not be read, for example a path, a time and a size. */
  readonly key?: string;
  readonly read: () => Promise<Uint8Array>;
}

type Indexed =
  | { readonly status: "indexed"; readonly chunks: readonly IndexedChunk[] }
  | Extract<DocumentText, { readonly status: "failed" }>;

/** Parts are small, because the model receives the whole text of each hit. */
const chunkSize = { maxTokens: 400, overlapTokens: 50 };

/** The maximum size of all cached documents together, in bytes. */
const maxCachedBytes = 96_000_000;

/** How long indexing may block the event loop before it yields, in ms. */
const maxBlockingMs = 8;

/** Indexes documents in memory, and caches them by the digest of their bytes. */
export class IndexedDocuments {
  readonly #cached = new Map<string, Indexed>();
  /** The digests of documents by their keys. */
  readonly #digests = new Map<string, string>();
  #bytes = 0;

  /** @throws the signal's reason when it aborts, or the error of `read` */
  async index(
    document: GivenDocument,
    {
      user,
      signal,
    }: {
      /** The owner of the job. The queue alternates between users. */
      readonly user: string;
      readonly signal: AbortSignal;
    },
  ): Promise<Indexed> {
    const known = document.key === undefined ? undefined : this.#digests.get(document.key);
    const cached = known === undefined ? undefined : this.#cached.get(known);
    if (cached !== undefined) return cached;
    const bytes = await document.read();
    signal.throwIfAborted();
    const digest = createHash("sha256").update(bytes).update(document.name).digest("hex");
    if (document.key !== undefined) this.#remember(document.key, digest);
    const same = this.#cached.get(digest);
    if (same !== undefined) return same;
    const indexed = await indexBytes({ ...document, bytes, user, signal });
    const isTransient = indexed.status === "failed" && indexed.cause === "transient";
    if (!isTransient) this.#keep(digest, indexed);
    return indexed;
  }

  #remember(key: string, digest: string): void {
    this.#digests.set(key, digest);
    for (const oldest of this.#digests.keys()) {
      if (this.#digests.size <= 50_000) break;
      this.#digests.delete(oldest);
    }
  }

  #keep(digest: string, indexed: Indexed): void {
    this.#cached.set(digest, indexed);
    this.#bytes += bytesOf(indexed);
    for (const [oldest, other] of this.#cached) {
      if (this.#bytes <= maxCachedBytes) break;
      this.#cached.delete(oldest);
      this.#bytes -= bytesOf(other);
    }
  }
}

async function indexBytes(input: Parameters<typeof documentText>[0]): Promise<Indexed> {
  const found = await documentText(input);
  if (found.status === "failed") return found;
  const chunks: IndexedChunk[] = [];
  let began = performance.now();
  for (const chunk of splitText(found.text, chunkSize)) {
    if (chunk !== undefined) {
      const words = indexWords(`${input.name} ${chunk.place.heading ?? ""} ${chunk.text}`);
      chunks.push({ ...chunk, words: hashWords(words) });
    }
    if (performance.now() - began < maxBlockingMs) continue;
    await yieldToEventLoop();
    input.signal.throwIfAborted();
    began = performance.now();
  }
  return { status: "indexed", chunks };
}

function bytesOf(indexed: Indexed): number {
  if (indexed.status === "failed") return 200;
  return indexed.chunks.reduce(
    (sum, { text, words }) => sum + 2 * text.length + words.byteLength + 200,
    200,
  );
}
