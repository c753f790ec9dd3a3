/** A transaction's place among those of one connection. */
export interface Turn {
  /**
   * Begins. Where the turn before is committing, what `begin` sends goes right behind its commit; if
   * that fails, it was for nothing, and is done again when the turn before is over. Where it has
   * failed already, nothing is sent between its further tries.
   */
  begin<T>(begin: () => Promise<T>): Promise<T>;
  /** What has begun behind this one holds. */
  committed(): void;
  /** What has begun behind this one does not hold. @returns when nothing of it is under way any more */
  failed(): Promise<void>;
  /** Nothing more comes of this one. */
  end(): void;
}

interface UnderWay {
  readonly committed: PromiseWithResolvers<boolean>;
  readonly over: PromiseWithResolvers<void>;
  hasFailed: boolean;
  behind: Promise<unknown> | undefined;
}

/**
 * Turns on one connection, each taken when the one before is committing, or over: so the database
 * does not wait for the next while its commit's answer is on its way.
 */
export function createTurns(): () => Turn {
  let last: UnderWay | undefined;
  return () => {
    let before = last;
    const own: UnderWay = {
      committed: Promise.withResolvers(),
      over: Promise.withResolvers(),
      hasFailed: false,
      behind: undefined,
    };
    last = own;
    return {
      begin: async (begin) => {
        const former = before;
        before = undefined;
        if (former === undefined) return begin();
        if (!former.hasFailed) {
          const begun = begin();
          former.behind = begun.catch(() => {});
          if (await former.committed.promise) return begun;
        }
        await former.over.promise;
        return begin();
      },
      committed: () => own.committed.resolve(true),
      failed: async () => {
        own.hasFailed = true;
        own.committed.resolve(false);
        await own.behind;
      },
      end: () => {
        own.committed.resolve(false);
        own.over.resolve();
        if (last === own) last = undefined;
      },
    };
  };
}
