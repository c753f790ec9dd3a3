import type { Statement } from "../../sql/script.ts";
import type { SqlStatement } from "../../sql/statement.ts";
import { bulkTable, columnType, type RowTable } from "../../sql/tables.ts";

type Cells = { readonly [column: string]: string | number | null };

/** A change of rows that goes over together with others of its kind. */
export type RowChange =
  | { readonly type: "insert"; readonly table: RowTable; readonly row: Cells }
  | {
      readonly type: "update";
      readonly table: RowTable;
      readonly where: Cells;
      readonly to: Cells;
    }
  | { readonly type: "remove"; readonly table: RowTable; readonly where: Cells };

/** Changes of one kind are one statement, each with values of its own. */
export function kindOf(change: RowChange): string {
  if (change.type === "insert") return change.table;
  const where = Object.keys(change.where).join();
  return change.type === "remove"
    ? `${change.table} - ${where}`
    : `${change.table} ${where} ${Object.keys(change.to).join()}`;
}

/** By which a change is told from others of its kind; undefined where each counts. */
export function keyOf(change: RowChange): string | undefined {
  if (change.type !== "insert") return JSON.stringify(Object.values(change.where));
  const { key } = bulkTable(change.table);
  return key && JSON.stringify(key.map((column) => change.row[column]));
}

/** Changes of one kind, each with another key, as one statement. */
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
  /** What is given of each, in order. */
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

/** An array a column. */
function given(table: RowTable, columns: readonly string[]): string {
  return `unnest(${columns.map((column) => `?::${columnType(table, column)}[]`).join(", ")})`;
}

/** The chain through SQLite's tail; here an index finds a run's deltas. */
function isChained(table: RowTable, column: string): boolean {
  return table === "tail" && (column === "n" || column === "prev");
}
