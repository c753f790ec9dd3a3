import type { SqlValue, Statement } from "../../sql/script.ts";
import type { Changes } from "../../sql/changes.ts";
import { bind, type SqlStatement } from "../../sql/statement.ts";
import type { CellsOf, RowOf, RowTable, TableName } from "../../sql/tables.ts";
import { keyOf, kindOf, type RowChange, statementOf } from "./row-statements.ts";

/** The changes of one lane, which keep their order; different lanes change different rows. */
export class LaneChanges implements Changes {
  count = 0;
  readonly #pending: PendingChanges;

  constructor(pending: PendingChanges) {
    this.#pending = pending;
  }

  insert<T extends RowTable>(table: T, row: RowOf<T>): void {
    this.#add({ type: "insert", table, row });
  }

  update<T extends RowTable>(table: T, where: CellsOf<T>, to: CellsOf<T>): void {
    this.#add({ type: "update", table, where, to } as RowChange);
  }

  remove<T extends RowTable>(table: T, where: CellsOf<T>): void {
    this.#add({ type: "remove", table, where } as RowChange);
  }

  run(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.count += 1;
    this.#pending.addStatement(bind(sql, ...values));
  }

  /** The database overwrites deleted rows later, when it vacuums. */
  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.run(sql, ...values);
  }

  #add(change: RowChange): void {
    this.count += 1;
    this.#pending.add(change, this);
  }
}

/**
 * The unsent changes of a batch, grouped into few statements. Changes of one kind are sent
 * together, and only changes of the same table keep their order, because there are no foreign keys.
 */
export class PendingChanges {
  /** Statements that must be sent before all others. */
  #ready: Statement[] = [];
  readonly #tables = new Map<TableName, TableChanges>();

  add(change: RowChange, lane: LaneChanges): void {
    this.#of(change.table).add(change, lane);
  }

  /** Adds a statement that must follow all changes of its tables. */
  addStatement(statement: Statement): void {
    const { reads, writes } = statement.sql;
    // The statement also reads tables that it does not write, so later changes of those tables must
    // not be sent before it.
    if (reads.length > 0) this.#ready = [...this.flush(), statement];
    else for (const table of writes) this.#of(table).addStatement(statement);
  }

  /** Makes all later changes follow the current ones. */
  addBarrier(): void {
    for (const table of this.#tables.values()) table.addBarrier();
  }

  /** Removes and returns the changes that must be sent before these statements. */
  flushBefore(statements: readonly Statement[]): readonly Statement[] {
    return this.flush(new Set(statements.flatMap(({ sql }) => [...sql.reads, ...sql.writes])));
  }

  /** Removes and returns the statements of the given tables, or of all. */
  flush(tables: Iterable<TableName> = [...this.#tables.keys()]): readonly Statement[] {
    const statements = this.#ready;
    this.#ready = [];
    for (const table of tables) {
      statements.push(...(this.#tables.get(table)?.statements() ?? []));
      this.#tables.delete(table);
    }
    return statements;
  }

  #of(table: TableName): TableChanges {
    const changes = this.#tables.get(table) ?? new TableChanges();
    this.#tables.set(table, changes);
    return changes;
  }
}

/** Changes in one statement. All are of the same kind, and each is of a different row. */
interface Group {
  readonly kind: string;
  readonly changes: RowChange[];
  readonly keys: Set<string>;
}

/**
 * The changes of one table. Each joins the first group of its kind after its lane's last change.
 */
class TableChanges {
  readonly #steps: (Group | Statement)[] = [];
  /** The step of each lane's last change. */
  readonly #last = new Map<LaneChanges, number>();
  /** The first step for lanes without changes. */
  #first = 0;

  add(change: RowChange, lane: LaneChanges): void {
    const kind = kindOf(change);
    const key = keyOf(change);
    const from = this.#last.get(lane) ?? this.#first;
    let at = this.#steps.findIndex(
      (step, index) =>
        index >= from && "keys" in step && step.kind === kind && !step.keys.has(key ?? ""),
    );
    if (at === -1) at = this.#steps.push({ kind, changes: [], keys: new Set() }) - 1;
    const group = this.#steps[at] as Group;
    group.changes.push(change);
    if (key !== undefined) group.keys.add(key);
    this.#last.set(lane, at);
  }

  addStatement(statement: Statement): void {
    this.#steps.push(statement);
    this.addBarrier();
  }

  addBarrier(): void {
    this.#last.clear();
    this.#first = this.#steps.length;
  }

  statements(): readonly Statement[] {
    return this.#steps.map((step) =>
      "keys" in step ? statementOf(step.kind, step.changes) : step,
    );
  }
}
