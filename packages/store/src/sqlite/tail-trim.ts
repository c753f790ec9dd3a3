import type { SqliteConnection } from "./sqlite-connection.ts";
import type { RunState } from "../decide/state/run-states.ts";

/** At most so many rows are looked at in a transaction of their own, so that no commit waits long for it. */
const atOnce = 1_000;

/**
 * Deltas whose item has ended, on their way out of SQLite's tail. Nobody reads them, and to take them
 * out in the commit that ends the item made all others wait: that is done between commits. As
 * items lie between one another, each page would be written anew for each of its items: so it waits
 * until as many rows are of items that ended as of items under way, and then goes through the tail
 * once, from its beginning to what was its end. What a crash leaves is found again at the next start.
 */
export class TailTrim {
  readonly #activeRuns: () => Iterable<RunState>;
  /** How many rows are of items that ended, and of items that end in the transaction under way. */
  #ended = 0;
  #ending = 0;
  /** The rows that are still to be looked at. */
  #sweep: { readonly from: number; readonly end: number } | undefined;

  /** @param activeRuns all that have deltas of items under way in the tail, perhaps with others */
  constructor(activeRuns: () => Iterable<RunState>) {
    this.#activeRuns = activeRuns;
  }

  /** An item with so many rows ended, in the transaction under way. */
  add(rows: number): void {
    this.#ending += rows;
  }

  /** Discards the items of a transaction that is rolled back. */
  rollback(): void {
    this.#ending = 0;
  }

  /** Counts the added items as ended: the transaction was committed. */
  commit(): void {
    this.#ended += this.#ending;
    this.#ending = 0;
  }

  /** Whether there is something to take out now. */
  get pending(): boolean {
    return this.#sweep !== undefined || (this.#ended > 0 && this.#ended >= this.#openRows());
  }

  /** Whether nothing ended that is still in the tail. */
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
    const last = sql.get<{ n: number }>(
      "SELECT n FROM tail WHERE n >= ? AND n < ? ORDER BY n LIMIT 1 OFFSET ?",
      from,
      end,
      atOnce - 1,
    );
    const next = last === undefined ? end : last.n + 1;
    sql.run(removeEnded, JSON.stringify(this.#firstRows()), from, next);
    return { from: next, end };
  }

  /** Where the rows that stay begin, of each run that has some: with its oldest item under way. */
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

const removeEnded = `DELETE FROM tail WHERE n IN (
  SELECT t.n FROM tail t
    LEFT JOIN (SELECT value ->> 0 AS run_n, value ->> 1 AS first FROM json_each(?)) stays ON stays.run_n = t.run_n
  WHERE t.n >= ? AND t.n < ? AND (stays.first IS NULL OR t.n < stays.first)
)`;
