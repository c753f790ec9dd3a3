import type { BlobStore } from "./blob-store.ts";
import type { ByteRange, ReceivedBlob } from "./received-blob.ts";

/**
 * Blobs in a bucket, and those that were stored before the bucket was configured. New blobs go to
 * the bucket.
 */
export class LayeredBlobs implements BlobStore {
  readonly #bucket: BlobStore;
  readonly #earlier: BlobStore;

  constructor(bucket: BlobStore, earlier: BlobStore) {
    this.#bucket = bucket;
    this.#earlier = earlier;
  }

  async put(blob: { readonly sha256: string; readonly bytes: Uint8Array }): Promise<void> {
    if (!(await this.#earlier.has(blob.sha256))) await this.#bucket.put(blob);
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const received = await this.#bucket.receive(pieces);
    const keep = async () => {
      if (!(await this.#earlier.has(received.sha256))) await received.keep();
    };
    return { ...received, keep };
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    return (await this.#earlier.get(sha256)) ?? this.#bucket.get(sha256);
  }

  async stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    return (await this.#earlier.stream(sha256, range)) ?? this.#bucket.stream(sha256, range);
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.#earlier.has(sha256)) || this.#bucket.has(sha256);
  }

  async delete(sha256: string): Promise<void> {
    await this.#earlier.delete(sha256);
    await this.#bucket.delete(sha256);
  }

  async *list(): AsyncGenerator<string> {
    yield* this.#earlier.list();
    yield* this.#bucket.list();
  }

  async close(): Promise<void> {
    await this.#bucket.close();
    await this.#earlier.close();
  }
}
