import { createHash, webcrypto } from "node:crypto";
import type { ByteRange, ReceivedBlob } from "./received-blob.ts";

/**
 * Bytes by their SHA-256, in lower-case hexadecimal digits. Each content is stored once.
 *
 * Rows of the database refer to blobs. A blob is written before the row that refers to it, so that
 * a crash leaves at most a blob without a row, which `BlobHolds.collect` deletes.
 */
export interface BlobStore {
  /** Stores bytes. Resolves when they are durable; does nothing if they are stored already. */
  put(blob: { readonly sha256: string; readonly bytes: Uint8Array }): Promise<void>;
  /**
   * Receives bytes of unknown length without holding them all in memory. They become a blob with
   * `keep`.
   */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob>;
  /** Returns the bytes, or undefined if there is no such blob. */
  get(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Returns the bytes in pieces, or undefined if there is no such blob.
   *
   * @param range the bytes to return. @default all
   */
  stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Returns whether there is such a blob. The call counts as a use of the blob. */
  has(sha256: string): Promise<boolean>;
  /** Deletes a blob, unless a process that shares the store has used it within the last hour. */
  delete(sha256: string): Promise<void>;
  /** Lists the hashes of all blobs, in no particular order. */
  list(): AsyncIterable<string>;
  close(): Promise<void>;
}

/**
 * Hashing more bytes than this would block the event loop, so a thread of Node.js's pool does it.
 */
const longBytes = 262_144;

/** Returns the SHA-256 of bytes in lower-case hexadecimal digits. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  if (bytes.length < longBytes) return createHash("sha256").update(bytes).digest("hex");
  const digest = await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString("hex");
}

interface FallbackBlobs {
  readonly readBlob: (sha256: string) => Promise<Uint8Array | undefined>;
  readonly hasBlob: (sha256: string) => Promise<boolean>;
}

/** The blobs of a store in memory. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #fallback: FallbackBlobs | undefined;

  /**
   * @param behind the store to read blobs that are not in memory
   */
  constructor(fallback?: FallbackBlobs) {
    this.#fallback = fallback;
  }

  async put({ sha256, bytes }: { sha256: string; bytes: Uint8Array }): Promise<void> {
    this.#blobs.set(sha256, bytes);
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const bytes = Buffer.concat(await Array.fromAsync(pieces));
    const sha256 = await sha256Of(bytes);
    const keep = () => this.put({ sha256, bytes });
    return { sha256, size: bytes.length, keep, discard: async () => {} };
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    return this.#blobs.get(sha256) ?? this.#fallback?.readBlob(sha256);
  }

  async stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bytes = await this.get(sha256);
    if (bytes === undefined) return undefined;
    return (async function* () {
      yield range === undefined ? bytes : bytes.subarray(range.from, range.to);
    })();
  }

  async has(sha256: string): Promise<boolean> {
    return this.#blobs.has(sha256) || ((await this.#fallback?.hasBlob(sha256)) ?? false);
  }

  async delete(sha256: string): Promise<void> {
    this.#blobs.delete(sha256);
  }

  async *list(): AsyncGenerator<string> {
    yield* this.#blobs.keys();
  }

  async close(): Promise<void> {
    this.#blobs.clear();
  }
}
