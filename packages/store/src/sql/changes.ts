import type { SqlValue } from "./script.ts";
import type { CellsOf, RowOf, TableName } from "./tables.ts";

/**
 * Changes whose outcome no decision rests on. SQLite does them on the spot; for PostgreSQL they
 * are gathered, and go over in one statement a table.
 */
export interface Changes {
  insert<T extends TableName>(table: T, row: RowOf<T>): void;
  /** Changes the rows that have these cells. */
  update<T extends TableName>(table: T, where: CellsOf<T>, to: CellsOf<T>): void;
  /** Deletes the rows that have these cells. */
  remove<T extends TableName>(table: T, where: CellsOf<T>): void;
  /** What is seldom done: for PostgreSQL it is a statement of its own. */
  run(text: string, ...values: SqlValue[]): void;
  /** The same for what is to leave no trace. */
  wipe(text: string, ...values: SqlValue[]): void;
}
