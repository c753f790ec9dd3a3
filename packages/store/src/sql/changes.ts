import type { SqlValue } from "./script.ts";
import type { SqlStatement } from "./statement.ts";
import type { CellsOf, RowOf, RowTable } from "./tables.ts";

/**
 * Changes that no later decision of the batch depends on. SQLite applies them immediately.
 * PostgreSQL collects them and sends many in one statement.
 */
export interface Changes {
  /** The number of changes so far. */
  readonly count: number;
  insert<T extends RowTable>(table: T, row: RowOf<T>): void;
  /** Changes the rows that have these cells. */
  update<T extends RowTable>(table: T, where: CellsOf<T>, to: CellsOf<T>): void;
  /** Deletes the rows that have these cells. */
  remove<T extends RowTable>(table: T, where: CellsOf<T>): void;
  /** Runs a rare change, which PostgreSQL sends as a separate statement. */
  run(sql: SqlStatement, ...values: readonly SqlValue[]): void;
  /** Runs a change and overwrites the deleted data, for secrets. */
  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void;
}
