import type { SqlValue, Statement } from "../../sql/script.ts";
import type { Changes } from "../../sql/changes.ts";
import { bind, type SqlStatement } from "../../sql/statement.ts";
import type { CellsOf, RowOf, RowTable, TableName } from "../../sql/tables.ts";
import { keyOf, kindOf, type RowChange, statementOf } from "./row-statements.ts";

/** The changes of a lane, which keep their order; different lanes change different rows. */
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

  /** Deleted rows are overwritten in time, by the database's own cleaning. */
  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.run(sql, ...values);
  }

  #add(change: RowChange): void {
    this.count += 1;
    this.#pending.add(change, this);
  }
}

/**
 * The changes of a batch that are not sent yet, in few statements: what is of one kind goes
 * together, and only changes of one table keep their order. No foreign key asks for more.
 */
export class PendingChanges {
  /** What goes before all others. */
  #ready: Statement[] = [];
  readonly #tables = new Map<TableName, TableChanges>();

  add(change: RowChange, lane: LaneChanges): void {
    this.#of(change.table).add(change, lane);
  }

  /** Adds a statement that goes after all changes of its tables. */
  addStatement(statement: Statement): void {
    const { reads, writes } = statement.sql;
    // It reads other tables than it writes: with whatever comes later the order of tables would matter.
    if (reads.length > 0) this.#ready = [...this.flush(), statement];
    else for (const table of writes) this.#of(table).addStatement(statement);
  }

  /** Orders all later changes after those before. */
  addBarrier(): void {
    for (const table of this.#tables.values()) table.addBarrier();
  }

  /** Removes and returns what these statements must see. */
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

/** Changes that one statement makes: of one kind, and none of a row twice. */
interface Group {
  readonly kind: string;
  readonly changes: RowChange[];
  readonly keys: Set<string>;
}

/** The changes of one table. Each is in the first group of its kind after its lane's last change. */
class TableChanges {
  readonly #steps: (Group | Statement)[] = [];
  /** The step of each lane's last change. */
  readonly #last = new Map<LaneChanges, number>();
  /** The first step for lanes that changed nothing yet. */
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
