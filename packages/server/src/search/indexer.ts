import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage } from "@capstan/core/host";
import type { SearchObject, Store } from "@capstan/store";
import { createByteBudget } from "./byte-budget.ts";
import { createCommitSize } from "./commit-size.ts";
import { indexStoreFile, type IndexingParts, maxBytes } from "./index-file.ts";
import { createUnindexedFiles, type UnindexedFiles } from "./unindexed-files.ts";

/** Indexes files of vector stores in the background, and deletes indexes that are no longer used. */
export interface Indexer {
  /** Looks for files that are not indexed yet, and for indexes to delete. */
  wake(): void;
  /** Resolves when all files that are known so far are indexed. */
  idle(): Promise<void>;
  /** Stops; unfinished files are indexed at the next start. */
  close(): Promise<void>;
}

/** How many files are indexed at the same time. */
const atOnce = 4;

/**
 * The maximum number of one user's files among them. One user never delays other users until all of
 * these files are done.
 */
const atOnceOfOne = 3;

/** Files of a node that died are found after this time, in ms. */
const everyMs = 60_000;

/**
 * Creates the indexer. The store says which files are not indexed yet, so a crash loses nothing: the
 * next start, or another node, indexes them again.
 */
export function createIndexer(
  parts: IndexingParts & { readonly store: Pick<Store, "everyUnindexedOwner" | "listUnindexed"> },
): Indexer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { store, log } = parts;
  let lastWrite: Promise<unknown> = Promise.resolve();
  const shared = {
    ...parts,
    budget: createByteBudget(maxBytes),
    commitSize: createCommitSize(),
    inOrder: <T>(write: () => Promise<T>): Promise<T> => {
      const result = lastWrite.then(write);
      lastWrite = result.catch(() => {});
      return result;
    },
  };
  const indexOne = async (file: SearchObject): Promise<void> => {
    try {
      await indexStoreFile(file, shared, signal);
    } catch (thrown) {
      if (!signal.aborted) log(`Cannot index a file of a vector store: ${errorMessage(thrown)}`);
    }
  };

  let pending: UnindexedFiles | undefined;
  let hasChanged = false;
  let onChange = (): void => {};
  const change = (): void => {
    hasChanged = true;
    onChange();
  };

  /** Indexes all files, including files that are added meanwhile. */
  const indexAll = async (): Promise<void> => {
    const files = createUnindexedFiles(store);
    pending = files;
    const active = new Map<Promise<void>, string>();
    const isFree = (user: string) =>
      [...active.values()].filter((each) => each === user).length < atOnceOfOne;
    try {
      while (!signal.aborted) {
        hasChanged = false;
        const file = active.size < atOnce ? await files.next(isFree) : undefined;
        if (file !== undefined) {
          const job: Promise<void> = indexOne(file).finally(() => {
            active.delete(job);
            change();
          });
          active.set(job, file.owner);
        } else if (active.size === 0) break;
        else if (!hasChanged)
          // Meanwhile, a user with a free slot can add a file.
          await new Promise<void>((resolve) => {
            onChange = resolve;
          });
      }
    } finally {
      pending = undefined;
      await Promise.all(active.keys());
    }
  };

  /** Deletes hidden indexes in small commits. */
  const collectAll = async (): Promise<void> => {
    const size = createCommitSize();
    const write = () => store.write([{ type: "collect-chunks", rows: size.rows }]);
    while (!signal.aborted) {
      const [outcome] = await shared.inOrder(() => size.measure(write));
      if (outcome.status !== "collected_chunks" || !outcome.more) return;
      await nextTurn();
    }
  };

  const indexing = wakeable(indexAll, (thrown) => {
    if (!signal.aborted) log(`Cannot read the files to index: ${errorMessage(thrown)}`);
  });
  const collecting = wakeable(collectAll, (thrown) => {
    if (!signal.aborted) log(`Cannot delete old indexes of files: ${errorMessage(thrown)}`);
  });
  let timer: NodeJS.Timeout | undefined;

  const idle = async (): Promise<void> => {
    await indexing.idle();
    // Files that were indexed again have an old index to delete.
    if (!signal.aborted) collecting.wake();
    await collecting.idle();
  };

  const wake = (): void => {
    timer ??= setInterval(wake, everyMs).unref();
    pending?.refresh();
    change();
    indexing.wake();
    collecting.wake();
  };

  return {
    wake,
    idle,
    async close() {
      stopping.abort();
      clearInterval(timer);
      change();
      await idle();
    },
  };
}

/** Runs work again if it is woken while it runs. */
function wakeable(
  work: () => Promise<void>,
  onError: (thrown: unknown) => void,
): { readonly wake: () => void; readonly idle: () => Promise<void> } {
  let isAwake = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (isAwake) {
      isAwake = false;
      try {
        await work();
      } catch (thrown) {
        onError(thrown);
      }
    }
    running = undefined;
  };

  return {
    wake() {
      isAwake = true;
      running ??= run();
    },
    async idle() {
      await running;
    },
  };
}
