import { type Dialect, postgres, sqlite } from "./dialect.ts";
import type { SqlValue, Statement } from "./script.ts";
import type { TableName } from "./tables.ts";

/** A statement's text on each database, and the tables that it reads and writes. */
export interface SqlStatement<Row = unknown> {
  /** Empty if only the other database has the statement. */
  readonly sqlite: string;
  readonly postgres: string;
  /** A view counts as its tables. A table that a statement changes is only in `writes`. */
  readonly reads: readonly TableName[];
  readonly writes: readonly TableName[];
  /** The type of the rows; it has no value at run time. */
  readonly row?: Row;
}

interface StatementTables {
  readonly reads?: readonly TableName[];
  readonly writes?: readonly TableName[];
}

type StatementText =
  | string
  | ((dialect: Dialect) => string)
  | { readonly sqlite?: string; readonly postgres?: string };

const declared: SqlStatement[] = [];

/**
 * Declares a statement. Call it while a module loads, not for each use: a test runs every declared
 * statement and compares `tables` with the tables that SQLite and PostgreSQL report.
 *
 * @param tables on PostgreSQL, pending changes are sent before a statement that reads their tables
 * @param text `?` stands for a value on both databases
 * @example
 * const findTitle = statement<{ title: string }>(
 *   { reads: ["conversations"] },
 *   "SELECT title FROM conversations WHERE id = ?",
 * );
 */
export function statement<Row = unknown>(
  { reads = [], writes = [] }: StatementTables,
  text: StatementText,
): SqlStatement<Row> {
  const texts =
    typeof text === "string"
      ? { sqlite: text, postgres: text }
      : typeof text === "function"
        ? { sqlite: text(sqlite), postgres: text(postgres) }
        : { sqlite: "", postgres: "", ...text };
  const made = { ...texts, reads, writes };
  declared.push(made);
  return made;
}

/** Returns a statement with its values. */
export function bind(sql: SqlStatement, ...values: readonly SqlValue[]): Statement {
  return { sql, values };
}

/** Returns all statements declared so far. */
export function declaredStatements(): readonly SqlStatement[] {
  return declared;
}
