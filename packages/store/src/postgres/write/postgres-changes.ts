import type { SqlValue, Statement } from "../../sql/script.ts";
import type { Changes } from "../../sql/changes.ts";
import { bind, type SqlStatement } from "../../sql/statement.ts";
import type { CellsOf, RowOf, RowTable, TableName } from "../../sql/tables.ts";
import type { RowChange } from "./row-statements.ts";
import { type LaneKey, TableSteps } from "./table-steps.ts";

/** One change, in the words of the decision that made it. */
type Change = RowChange | { readonly type: "statement"; readonly statement: Statement };

type TableSet = readonly TableName[];

/** The changes of one call, apart from those of the batch until the call is accepted. */
export class CallChanges implements Changes {
  readonly list: Change[] = [];

  /** Whether a read of these tables would miss something of it. */
  touches(tables: TableSet): boolean {
    return this.list.some((change) => tablesIn(change).some((table) => tables.includes(table)));
  }

  insert<T extends RowTable>(table: T, row: RowOf<T>): void {
    this.list.push({ type: "insert", table, row });
  }

  update<T extends RowTable>(table: T, where: CellsOf<T>, to: CellsOf<T>): void {
    this.list.push({ type: "update", table, where, to } as RowChange);
  }

  remove<T extends RowTable>(table: T, where: CellsOf<T>): void {
    this.list.push({ type: "remove", table, where } as RowChange);
  }

  run(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.list.push({ type: "statement", statement: bind(sql, ...values) });
  }

  /** Deleted rows are overwritten in time, by the database's own cleaning. */
  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.run(sql, ...values);
  }
}

/** Whether a change reads one table and writes another, so that the order of tables matters. */
export function readsOtherTables(change: Change): boolean {
  return tablesIn(change).length > 1;
}

/**
 * The changes of a batch, gathered so that few statements do them: what is of one kind together, and
 * in order only what is of one table. There are no foreign keys that ask for more.
 */
export class BatchChanges {
  readonly #tables = new Map<TableName, TableSteps>();

  /**
   * @param lane whose changes they are, where others go beside them
   * @returns what is to be sent now
   */
  add(changes: readonly Change[], lane?: LaneKey): Statement[] {
    const ready: Statement[] = [];
    for (const change of changes) {
      if (change.type !== "statement") this.#of(change.table).add(change, lane);
      else if (readsOtherTables(change)) ready.push(...this.flush(), change.statement);
      else for (const table of tablesIn(change)) this.#of(table).addStatement(change.statement);
    }
    return ready;
  }

  /** Orders all later changes after those before. */
  addBarrier(): void {
    for (const steps of this.#tables.values()) steps.addBarrier();
  }

  /** Removes and returns the statements of the given tables, or of all. */
  flush(tables: TableSet = [...this.#tables.keys()].toSorted()): Statement[] {
    return tables.flatMap((name) => {
      const statements = this.#tables.get(name)?.statements ?? [];
      this.#tables.delete(name);
      return statements;
    });
  }

  #of(table: TableName): TableSteps {
    const known = this.#tables.get(table);
    if (known !== undefined) return known;
    const steps = new TableSteps();
    this.#tables.set(table, steps);
    return steps;
  }
}

function tablesIn(change: Change): TableSet {
  if (change.type !== "statement") return [change.table];
  return tablesOf(change.statement);
}

/** The tables that a statement reads or writes. */
export function tablesOf({ sql }: Statement): TableSet {
  return sql.reads.length === 0 ? sql.writes : [...sql.reads, ...sql.writes];
}
