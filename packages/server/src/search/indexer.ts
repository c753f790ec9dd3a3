import { errorMessage } from "@capstan/core/host";
import type { SearchObject, Store } from "@capstan/store";
import { indexStoreFile, type IndexingParts } from "./index-file.ts";

/** Indexes files of vector stores in the background. */
export interface Indexer {
  /** Looks for files that are not indexed yet. */
  wake(): void;
  /** Resolves when all files that are known so far are indexed. */
  idle(): Promise<void>;
  /** Stops; unfinished files are indexed at the next start. */
  close(): Promise<void>;
}

/** How many files are indexed at the same time. */
const atOnce = 4;

/** Files of a node that died are found after this time, in ms. */
const everyMs = 60_000;

/**
 * Creates the indexer. The store says which files are not indexed yet, so a crash loses nothing: the
 * next start, or another node, indexes them again.
 */
export function createIndexer(
  parts: IndexingParts & { readonly store: Pick<Store, "everyUnindexed"> },
): Indexer {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isAwake = false;
  let work: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const indexOne = async (file: SearchObject): Promise<void> => {
    try {
      await indexStoreFile(file, parts, signal);
    } catch (thrown) {
      if (!signal.aborted)
        parts.log(`Cannot index a file of a vector store: ${errorMessage(thrown)}`);
    }
  };

  const run = async (): Promise<void> => {
    while (isAwake && !signal.aborted) {
      isAwake = false;
      let after = -1;
      while (!signal.aborted) {
        const page = await parts.store.everyUnindexed({ after });
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.createdSeq;
        const queue = page.toReversed();
        const worker = async (): Promise<void> => {
          for (let next = queue.pop(); next !== undefined && !signal.aborted; next = queue.pop())
            await indexOne(next);
        };
        await Promise.all(Array.from({ length: atOnce }, worker));
      }
    }
  };

  const wake = (): void => {
    isAwake = true;
    timer ??= setInterval(wake, everyMs).unref();
    work ??= run()
      .catch((thrown: unknown) => {
        if (!signal.aborted) parts.log(`Cannot read the files to index: ${errorMessage(thrown)}`);
      })
      .finally(() => {
        work = undefined;
        // A file can be added after the last look at the list, before this turn.
        if (isAwake && !signal.aborted) wake();
      });
  };

  return {
    wake,
    async idle() {
      await work;
    },
    async close() {
      stopping.abort();
      clearInterval(timer);
      await work;
    },
  };
}
