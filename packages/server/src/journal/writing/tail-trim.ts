import type { Sql } from "../sql.ts";

/** At most so many rows in a transaction of their own, so that no commit waits long for it. */
const atOnce = 250;

/**
 * Deltas whose item has ended, on their way out of SQLite's tail. Nobody reads them, and to take out
 * a long item in the commit that ends it made all others wait: they go a few at a time, between
 * commits. What a crash leaves of them is found again at the next start.
 */
export class TailTrim {
  /** The newest row that is left of each item. */
  #heads: number[] = [];
  /** Of items that end in the transaction under way. */
  #ending: number[] = [];

  /** An item ended, in the transaction under way. */
  add(head: number): void {
    this.#ending.push(head);
  }

  /** A place to roll back to. */
  mark(): number {
    return this.#ending.length;
  }

  /** They did not end. */
  rollback(to: number): void {
    this.#ending.length = to;
  }

  /** They ended for good. */
  settle(): void {
    if (this.#ending.length === 0) return;
    this.#heads.push(...this.#ending);
    this.#ending = [];
  }

  /** Whether there is something to take out now. */
  get pending(): boolean {
    return this.#heads.length > 0;
  }

  /** Whether nothing ended that is still in the tail. */
  get isEmpty(): boolean {
    return this.#heads.length === 0 && this.#ending.length === 0;
  }

  /** Takes out a few rows, in a transaction of its own. */
  some(sql: Sql): void {
    const before = [...this.#heads];
    sql.run("BEGIN IMMEDIATE");
    try {
      this.#remove(sql);
      sql.run("COMMIT");
    } catch (thrown) {
      if (sql.inTransaction) sql.run("ROLLBACK");
      this.#heads = before;
      throw thrown;
    }
  }

  #remove(sql: Sql): void {
    for (let left = atOnce; left > 0;) {
      const head = this.#heads.pop();
      if (head === undefined) return;
      const removed = sql.all<{ prev: number }>(removeSome, head, left).map(({ prev }) => prev);
      left -= removed.length;
      const next = Math.min(...removed);
      if (left <= 0 && next > 0) this.#heads.push(next);
    }
  }
}

/** An item's rows from one of them backwards; before its first comes 0. */
const removeSome = `DELETE FROM tail WHERE n IN (
  WITH RECURSIVE chain (n, prev) AS (
    SELECT n, prev FROM tail WHERE n = ?
    UNION ALL
    SELECT t.n, t.prev FROM chain c JOIN tail t ON t.n = c.prev
  )
  SELECT n FROM chain LIMIT ?
) RETURNING COALESCE(prev, 0) AS prev`;
