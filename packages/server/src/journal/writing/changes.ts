import type { SqlValue } from "../script.ts";
import type { RowOf, TableName } from "./tables.ts";

/**
 * Changes whose outcome no decision rests on. SQLite does them on the spot; for PostgreSQL they
 * are gathered, and go over in one statement a table.
 */
export interface Changes {
  insert<T extends TableName>(table: T, row: RowOf<T>): void;
  run(text: string, ...values: SqlValue[]): void;
  /** The same for what is to leave no trace. */
  wipe(text: string, ...values: SqlValue[]): void;
}
