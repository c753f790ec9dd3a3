import type { Statement } from "../../sql/script.ts";
import type { SqlStatement } from "../../sql/statement.ts";
import { bulkTable, columnType, type RowTable } from "../../sql/tables.ts";

type Cells = { readonly [column: string]: string | number | null };

/** A change of rows that is sent together with others of its kind. */
export type RowChange =
  | { readonly type: "insert"; readonly table: RowTable; readonly row: Cells }
  | {
      readonly type: "update";
      readonly table: RowTable;
      readonly where: Cells;
      readonly to: Cells;
    }
  | { readonly type: "remove"; readonly table: RowTable; readonly where: Cells };

/**
 * Returns the kind of a change. Changes of one kind become one statement, each with its own values.
 */
export function kindOf(change: RowChange): string {
  if (change.type === "insert") return change.table;
  const where = Object.keys(change.where).join();
  return change.type === "remove"
    ? `${change.table} - ${where}`
    : `${change.table} ${where} ${Object.keys(change.to).join()}`;
}

/**
 * Returns the key that identifies a change within its kind, or undefined if all changes must be
 * sent.
 */
export function keyOf(change: RowChange): string | undefined {
  if (change.type !== "insert") return JSON.stringify(Object.values(change.where));
  const { key } = bulkTable(change.table);
  return key && JSON.stringify(key.map((column) => change.row[column]));
}

/** Returns the statement for changes of one kind with different keys. */
export function statementOf(kind: string, changes: readonly RowChange[]): Statement {
  const known = shapes.get(kind) ?? shapeOf(changes[0] as RowChange);
  shapes.set(kind, known);
  const values = changes.map((change) =>
    change.type === "insert"
      ? known.columns.map((column) => change.row[column] ?? null)
      : [
          ...Object.values(change.where),
          ...(change.type === "update" ? Object.values(change.to) : []),
        ],
  );
  return {
    sql: known.sql,
    values: known.columns.map((_, at) => values.map((row) => row[at] ?? null)),
  };
}

interface Shape {
  readonly sql: SqlStatement;
  /** The columns of each change, in order. */
  readonly columns: readonly string[];
}

const shapes = new Map<string, Shape>();

function shapeOf(change: RowChange): Shape {
  const { table } = change;
  if (change.type === "insert") {
    const { columns: all, conflict = "" } = bulkTable(table);
    const columns = Object.keys(all).filter((column) => !isChained(table, column));
    const text = `INSERT INTO ${table} (${columns.join(", ")}) SELECT * FROM ${given(table, columns)} ${conflict}`;
    return { sql: { sqlite: "", postgres: text, reads: [], writes: [table] }, columns };
  }
  const where = Object.keys(change.where);
  const to = change.type === "update" ? Object.keys(change.to) : [];
  const columns = [...where, ...to];
  const names = columns.map((_, at) => `g${at}`);
  const from = `${given(table, columns)} AS given (${names.join(", ")})`;
  const found = where.map((column, at) => `t.${column} = given.g${at}`).join(" AND ");
  const cells = to.map((column, at) => `${column} = given.g${where.length + at}`).join(", ");
  const text =
    change.type === "remove"
      ? `DELETE FROM ${table} t USING ${from} WHERE ${found}`
      : `UPDATE ${table} t SET ${cells} FROM ${from} WHERE ${found}`;
  return { sql: { sqlite: "", postgres: text, reads: [], writes: [table] }, columns };
}

/** Returns a parameter for each column: an array of its values. */
function given(table: RowTable, columns: readonly string[]): string {
  return `unnest(${columns.map((column) => `?::${columnType(table, column)}[]`).join(", ")})`;
}

/**
 * Returns whether a column links SQLite's rows of the tail. PostgreSQL finds a run's deltas by an
 * index.
 */
function isChained(table: RowTable, column: string): boolean {
  return table === "tail" && (column === "n" || column === "prev");
}
