import type { SqlValue } from "./script.ts";
import type { SqlStatement } from "./statement.ts";
import type { CellsOf, RowOf, RowTable } from "./tables.ts";

/**
 * Changes whose outcome no decision rests on. SQLite does them on the spot; for PostgreSQL they
 * are gathered, and many go over in one statement.
 */
export interface Changes {
  /** How many there were. */
  readonly count: number;
  insert<T extends RowTable>(table: T, row: RowOf<T>): void;
  /** Changes the rows that have these cells. */
  update<T extends RowTable>(table: T, where: CellsOf<T>, to: CellsOf<T>): void;
  /** Deletes the rows that have these cells. */
  remove<T extends RowTable>(table: T, where: CellsOf<T>): void;
  /** What is seldom done: for PostgreSQL it is a statement of its own. */
  run(sql: SqlStatement, ...values: readonly SqlValue[]): void;
  /** The same for what is to leave no trace. */
  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void;
}
