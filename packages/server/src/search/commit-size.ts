/** The number of rows per commit, adapted so that a commit does not delay other writes for long. */
export interface CommitSize {
  readonly rows: number;
  /** Runs a write with the current number of rows; its duration determines the next number. */
  measure<T>(write: () => Promise<T>): Promise<T>;
}

const [fewest, most] = [4, 64];

/** Target duration of a commit in ms. Durations vary, so other writes wait up to twice as long. */
const targetMs = 40;

/** Creates a commit size for commits of about 40 ms on any machine. */
export function createCommitSize(now: () => number = () => performance.now()): CommitSize {
  let rows = 16;
  return {
    get rows() {
      return rows;
    },
    async measure(write) {
      const began = now();
      const result = await write();
      const ms = now() - began;
      if (ms > targetMs) rows = Math.max(fewest, Math.floor(rows / 2));
      else if (ms < targetMs / 2) rows = Math.min(most, rows + 4);
      return result;
    },
  };
}
