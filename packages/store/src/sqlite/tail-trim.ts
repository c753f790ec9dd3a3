import type { SqliteConnection } from "./sqlite-connection.ts";
import type { RunState } from "../decide/state/run-states.ts";

/**
 * The maximum number of rows that one transaction examines, so that no commit waits long for it.
 */
const rowsPerBatch = 1_000;

/**
 * Removes the deltas of ended items from SQLite's tail. These rows are not read. Removing them in
 * the commit that ends the item would delay all callers, so they are removed between commits. Rows
 * of different items alternate on the same pages: removal by item would write each page many times.
 * So it waits until the tail has as many rows of ended items as of unfinished ones, and then scans
 * the tail once. The next start finds the rows that a crash left.
 */
export class TailTrim {
  readonly #activeRuns: () => Iterable<RunState>;
  /** The number of rows of ended items, and of items that end in the current transaction. */
  #ended = 0;
  #ending = 0;
  /** The range of rows that the scan has not reached yet. */
  #sweep: { readonly from: number; readonly end: number } | undefined;

  /**
   * @param activeRuns returns all runs that have deltas of unfinished items in the tail, and
   * possibly others
   */
  constructor(activeRuns: () => Iterable<RunState>) {
    this.#activeRuns = activeRuns;
  }

  /** Adds the rows of an item that ends in the current transaction. */
  add(rows: number): void {
    this.#ending += rows;
  }

  /** Discards the items of a transaction that is rolled back. */
  rollback(): void {
    this.#ending = 0;
  }

  /** Counts the added items as ended, after a commit. */
  commit(): void {
    this.#ended += this.#ending;
    this.#ending = 0;
  }

  /** Whether a scan is due or running. */
  get pending(): boolean {
    return this.#sweep !== undefined || (this.#ended > 0 && this.#ended >= this.#openRows());
  }

  /** Whether the tail has no rows of ended items. */
  get isEmpty(): boolean {
    return this.#sweep === undefined && this.#ended === 0 && this.#ending === 0;
  }

  /** Removes one batch of rows in its own transaction. Must not run during a commit. */
  removeBatch(sql: SqliteConnection): void {
    const ended = this.#sweep === undefined ? 0 : this.#ended;
    sql.run("BEGIN IMMEDIATE");
    try {
      const rest = this.#remove(sql, this.#sweep ?? wholeTail(sql));
      sql.run("COMMIT");
      this.#sweep = rest.from < rest.end ? rest : undefined;
      this.#ended = ended;
    } catch (thrown) {
      if (sql.inTransaction) sql.run("ROLLBACK");
      throw thrown;
    }
  }

  #remove(sql: SqliteConnection, { from, end }: { readonly from: number; readonly end: number }) {
    const rows = sql.all<{ n: number; run: number }>(
      "SELECT n, run_n AS run FROM tail WHERE n >= ? AND n < ? ORDER BY n LIMIT ?",
      from,
      end,
      rowsPerBatch,
    );
    const first = new Map(this.#firstRows());
    // Compared here, because a join with a JSON list reads the whole list for each row.
    const ended = rows.filter(({ n, run }) => n < (first.get(run) ?? Infinity)).map(({ n }) => n);
    sql.run(removeRows, JSON.stringify(ended));
    const last = rows.length < rowsPerBatch ? undefined : rows.at(-1);
    const next = last === undefined ? end : last.n + 1;
    return { from: next, end };
  }

  /**
   * Returns the first row to keep of each run with unfinished items: the first row of its oldest
   * unfinished item.
   */
  #firstRows(): readonly (readonly [run: number, first: number])[] {
    const rows: (readonly [number, number])[] = [];
    for (const { n, open } of this.#activeRuns())
      if (open.length > 0) rows.push([n, Math.min(...open.map(({ first }) => first))]);
    return rows;
  }

  #openRows(): number {
    let rows = 0;
    for (const { open } of this.#activeRuns()) for (const item of open) rows += item.rows;
    return rows;
  }
}

function wholeTail(sql: SqliteConnection) {
  const range = sql.get<{ first: number; last: number }>(
    "SELECT COALESCE(MIN(n), 0) AS first, COALESCE(MAX(n), -1) AS last FROM tail",
  );
  return { from: range?.first ?? 0, end: (range?.last ?? -1) + 1 };
}

const removeRows = "DELETE FROM tail WHERE n IN (SELECT value FROM json_each(?))";
