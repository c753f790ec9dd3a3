/** The number of rows of a commit that does not delay other writes for long. */
export interface CommitSize {
  readonly rows: number;
  /** Runs a write with this number of rows; its duration decides the next number. */
  measure<T>(write: () => Promise<T>): Promise<T>;
}

const [fewest, most] = [4, 64];

/** Other writes wait at most for about twice this time, in ms, because commits vary. */
const targetMs = 40;

/** Creates the size of commits that take about 40 ms, however slow the machine is. */
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
