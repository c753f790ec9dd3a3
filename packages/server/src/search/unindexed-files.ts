import type { SearchObject, Store } from "@capstan/store";

/** The files that are not indexed yet, of all users in round-robin order. */
export interface UnindexedFiles {
  /** Makes the next call of `next` look for new files of all users. */
  refresh(): void;
  /**
   * Returns the next file, or undefined if there is none. Each file is returned once.
   *
   * @param isFree whether another file of a user can be indexed now
   */
  next(isFree: (user: string) => boolean): Promise<SearchObject | undefined>;
}

interface UserFiles {
  /** The last file that was read. */
  after: number;
  files: SearchObject[];
  /** Whether there are no more files after `after`. */
  isRead: boolean;
}

/** Reads the files that are not indexed yet. */
export function createUnindexedFiles(
  store: Pick<Store, "everyUnindexedOwner" | "listUnindexed">,
): UnindexedFiles {
  const users = new Map<string, UserFiles>();
  let isStale = true;
  let reading: Promise<unknown> = Promise.resolve();

  const readUsers = async (): Promise<void> => {
    isStale = false;
    for (let after = ""; ;) {
      const page = await store.everyUnindexedOwner({ after });
      for (const user of page) {
        const known = users.get(user);
        if (known === undefined) users.set(user, { after: -1, files: [], isRead: false });
        else known.isRead = false;
      }
      const last = page.at(-1);
      if (last === undefined) return;
      after = last;
    }
  };

  const takeNext: UnindexedFiles["next"] = async (isFree) => {
    if (isStale) await readUsers();
    for (const [user, state] of users) {
      if (!isFree(user)) continue;
      if (state.files.length === 0 && !state.isRead) {
        const page = await store.listUnindexed({ owner: user, after: state.after });
        state.after = page.at(-1)?.createdSeq ?? state.after;
        state.files = page.toReversed();
        state.isRead = page.length === 0;
      }
      const file = state.files.pop();
      if (file === undefined) continue;
      users.delete(user);
      users.set(user, state);
      return file;
    }
    return undefined;
  };

  return {
    refresh() {
      isStale = true;
    },
    // Calls run one after another, so that no page is read twice.
    next(isFree) {
      const result = reading.then(() => takeNext(isFree));
      reading = result.catch(() => {});
      return result;
    },
  };
}
