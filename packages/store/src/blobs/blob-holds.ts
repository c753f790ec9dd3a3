import { CapstanError } from "@capstan/core";
import type { BlobStore } from "./blob-store.ts";
import type { NewBlob } from "./split-inputs.ts";

/** A blob to hold; `keep` stores received bytes in place of `bytes`. */
interface HeldBlob extends NewBlob {
  readonly keep?: () => Promise<void>;
}

/**
 * Coordinates collections with new references: a held blob is not deleted, and a blob that is being
 * deleted is written again after its deletion.
 */
export class BlobHolds {
  readonly #blobs: BlobStore;
  readonly #held = new Map<string, number>();
  readonly #deleting = new Map<string, Promise<void>>();
  /** The running collection. */
  #collecting: Promise<unknown> = Promise.resolve();

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * Stores blobs and holds them until their rows are committed.
   *
   * @returns a function that releases them
   * @throws CapstanError `input_deleted` if a blob without bytes was deleted meanwhile
   */
  async hold(blobs: readonly HeldBlob[]): Promise<() => void> {
    for (const { sha256 } of blobs) this.#held.set(sha256, (this.#held.get(sha256) ?? 0) + 1);
    const release = () => {
      for (const { sha256 } of blobs) {
        const count = (this.#held.get(sha256) ?? 1) - 1;
        if (count === 0) this.#held.delete(sha256);
        else this.#held.set(sha256, count);
      }
    };
    try {
      // Sequential, so that the memory of each blob is freed once it is written.
      for (const { sha256, bytes, keep } of blobs) {
        const deleting = this.#deleting.get(sha256);
        await deleting;
        if (keep !== undefined) await keep();
        else if (bytes !== undefined) await this.#blobs.put({ sha256, bytes });
        // A blob that was lost earlier causes no error: its conversation continues without it.
        else if (!(await this.#blobs.has(sha256)) && deleting !== undefined) throw inputDeleted();
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Deletes blobs that no row refers to. Collections run one after another: if two ran
   * concurrently, a hold could proceed after the first collection, and the second collection could
   * delete its blob.
   *
   * @param referenced returns those of the given hashes that rows refer to
   * @returns the number of deleted blobs
   */
  collect(
    referenced: (hashes: readonly string[]) => Promise<ReadonlySet<string>>,
    signal?: AbortSignal,
  ): Promise<number> {
    const collected = this.#collecting.then(() => this.#collect(referenced, signal));
    this.#collecting = collected.catch(() => {});
    return collected;
  }

  async #collect(
    referenced: (hashes: readonly string[]) => Promise<ReadonlySet<string>>,
    signal?: AbortSignal,
  ): Promise<number> {
    let deleted = 0;
    let some: string[] = [];
    const collectSome = async () => {
      const candidates = some.filter((sha256) => !this.#held.has(sha256));
      some = [];
      if (candidates.length === 0) return;
      const gone = Promise.withResolvers<void>();
      // From here on, a caller that holds one of these blobs waits until it is deleted and then
      // writes it again.
      for (const sha256 of candidates) this.#deleting.set(sha256, gone.promise);
      try {
        const used = await referenced(candidates);
        for (const sha256 of candidates) {
          if (used.has(sha256)) continue;
          await this.#blobs.delete(sha256);
          deleted += 1;
        }
      } finally {
        for (const sha256 of candidates) this.#deleting.delete(sha256);
        gone.resolve();
      }
    };
    for await (const sha256 of this.#blobs.list()) {
      if (signal?.aborted === true) return deleted;
      if (some.push(sha256) === 500) await collectSome();
    }
    await collectSome();
    return deleted;
  }
}

function inputDeleted(): CapstanError {
  return new CapstanError({
    code: "input_deleted",
    message:
      "An image or a file of an earlier response, to which this one refers, was deleted meanwhile. Nothing was stored; send its content again.",
  });
}
