import type { SqlValue, Statement } from "../script.ts";
import type { Changes } from "../writing/changes.ts";
import { bulkTable, type RowOf, type TableName } from "../writing/tables.ts";

type Row = { readonly [column: string]: string | number | null };

/** One change, in the words of the decision that made it. */
type Change =
  | { readonly type: "row"; readonly table: TableName; readonly row: Row }
  | { readonly type: "statement"; readonly statement: Statement; readonly tables: TableSet };

type TableSet = readonly string[];

/** The changes of one call, until it is clear whether they count. */
export class CallChanges implements Changes {
  readonly list: Change[] = [];

  /** Whether a read of these tables would miss something of it. */
  touches(tables: TableSet): boolean {
    return this.list.some((change) =>
      change.type === "row"
        ? tables.includes(change.table)
        : change.tables.some((table) => tables.includes(table)),
    );
  }

  insert<T extends TableName>(table: T, row: RowOf<T>): void {
    this.list.push({ type: "row", table, row });
  }

  run(text: string, ...values: SqlValue[]): void {
    this.list.push({ type: "statement", statement: { text, values }, tables: tablesOf(text) });
  }

  /** Deleted rows are overwritten in time, by the database's own cleaning. */
  wipe(text: string, ...values: SqlValue[]): void {
    this.run(text, ...values);
  }
}

/** Rows of a table that go over together. */
class RowGroup {
  readonly rows: Row[] = [];
  readonly #places = new Map<string, number>();
  readonly #table: TableName;

  constructor(table: TableName) {
    this.#table = table;
  }

  /** The last of a key counts. */
  add(row: Row): void {
    const { key } = bulkTable(this.#table);
    if (key === undefined) {
      this.rows.push(row);
      return;
    }
    const name = JSON.stringify(key.map((column) => row[column]));
    const place = this.#places.get(name);
    if (place !== undefined) {
      this.rows[place] = row;
      return;
    }
    this.#places.set(name, this.rows.length);
    this.rows.push(row);
  }
}

type Step =
  | { readonly type: "rows"; readonly table: TableName; readonly group: RowGroup }
  | { readonly type: "statement"; readonly statement: Statement };

/**
 * The changes of a batch, gathered so that few statements do them: rows of a table together, and
 * in order only what is of one table. There are no foreign keys that ask for more.
 */
export class BatchChanges {
  #steps = new Map<string, Step[]>();

  add(changes: readonly Change[]): Statement[] {
    const ready: Statement[] = [];
    for (const change of changes) {
      if (change.type === "row") this.#addRow(change.table, change.row);
      else if (change.tables.length <= 1)
        this.#of(change.tables[0] ?? "").push({ type: "statement", statement: change.statement });
      // It reads one table and changes another: what was before it goes first.
      else ready.push(...this.take(), change.statement);
    }
    return ready;
  }

  /** What is to be sent, of some tables or of all; it counts as sent from here on. */
  take(tables?: TableSet): Statement[] {
    const names = tables ?? [...this.#steps.keys()].toSorted();
    const statements: Statement[] = [];
    for (const name of names) {
      for (const step of this.#steps.get(name) ?? [])
        statements.push(
          step.type === "rows" ? insertion(step.table, step.group.rows) : step.statement,
        );
      this.#steps.delete(name);
    }
    return statements;
  }

  #of(table: string): Step[] {
    const known = this.#steps.get(table);
    if (known !== undefined) return known;
    const steps: Step[] = [];
    this.#steps.set(table, steps);
    return steps;
  }

  #addRow(table: TableName, row: Row): void {
    const steps = this.#of(table);
    const last = steps.at(-1);
    if (last?.type === "rows") return last.group.add(row);
    const group = new RowGroup(table);
    group.add(row);
    steps.push({ type: "rows", table, group });
  }
}

const insertions = new Map<TableName, { text: string; columns: readonly string[] }>();

function insertion(table: TableName, rows: readonly Row[]): Statement {
  let known = insertions.get(table);
  if (known === undefined) {
    const { columns, conflict = "" } = bulkTable(table);
    const kept = Object.entries(columns).filter(([column]) => !isChained(table, column));
    const names = kept.map(([column]) => column);
    const arrays = kept.map(([, type]) => `?::${type}[]`);
    const text = `INSERT INTO ${table} (${names.join(", ")}) SELECT * FROM unnest(${arrays.join(", ")}) ${conflict}`;
    known = { text, columns: names };
    insertions.set(table, known);
  }
  return {
    text: known.text,
    values: known.columns.map((column) => rows.map((row) => row[column] ?? null)),
  };
}

/** The chain through SQLite's tail; here an index finds a run's deltas. */
function isChained(table: TableName, column: string): boolean {
  return table === "tail" && (column === "n" || column === "prev");
}

const allTables = /\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)/g;
const tablesByText = new Map<string, TableSet>();

/** The tables that a statement names. */
export function tablesOf(text: string): TableSet {
  const known = tablesByText.get(text);
  if (known !== undefined) return known;
  const tables = [...new Set([...text.matchAll(allTables)].map((match) => match[1] ?? ""))];
  tablesByText.set(text, tables);
  return tables;
}
