/** A transaction's slot in the pipeline of one connection. */
export interface PipelineSlot {
  /**
   * Begins the transaction. While the slot before commits, `begin` sends its statements right behind
   * that commit; if the commit fails, `begin` runs again once the slot before has ended. If the slot
   * before has failed already, nothing is sent until it has ended.
   */
  begin<T>(begin: () => Promise<T>): Promise<T>;
  /** The commit succeeded; the next slot keeps what it has begun. */
  committed(): void;
  /** The commit failed; the next slot begins again. Resolves when its first attempt has ended. */
  failed(): Promise<void>;
  /** Ends the slot, whatever its outcome. */
  end(): void;
}

interface Transaction {
  readonly committed: PromiseWithResolvers<boolean>;
  readonly over: PromiseWithResolvers<void>;
  hasFailed: boolean;
  behind: Promise<unknown> | undefined;
}

/**
 * Creates a pipeline of transactions on one connection and returns a function that takes the next
 * slot. A transaction begins while the one before commits, so the database does not idle for a
 * network round trip between them.
 */
export function createPipeline(): () => PipelineSlot {
  let last: Transaction | undefined;
  return () => {
    let before = last;
    const own: Transaction = {
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
