import type { SQLInputValue } from "node:sqlite";
import type { SqlValue } from "../sql/script.ts";
import type { SqlStatement } from "../sql/statement.ts";
import { type SqliteConnection, sqliteValues } from "./sqlite-connection.ts";
import type { Changes } from "../sql/changes.ts";
import { checksumOfRow, sqliteChecksum } from "../schema/row-checksums.ts";
import { nextCreatedSeq } from "../sql/creation-sequence.ts";
import { bulkTable, type CellsOf, columnType, type RowOf, type RowTable } from "../sql/tables.ts";

interface Insertion {
  readonly text: string;
  readonly columns: readonly string[];
}

/** Applies changes to SQLite immediately. */
export class SqliteChanges implements Changes {
  /** The number of changes. */
  count = 0;
  /** The volume of changes: their number, with long texts counted by their pages. */
  volume = 0;
  /** The volume when the write-ahead log was last cleared. All content of the log is newer. */
  cleared = 0;
  readonly #sql: SqliteConnection;
  readonly #insertions = new Map<RowTable, Insertion>();
  readonly #updates = new Map<string, string>();
  /**
   * The newest number of each table with a `created_seq`. A number is never reused, even after a
   * rollback.
   */
  readonly #createdSeqs = new Map<RowTable, number>();
  /**
   * The write-ahead log can contain deleted secrets, because the previous process can have ended
   * before it cleared the log.
   */
  #wiped = true;

  constructor(sql: SqliteConnection) {
    this.#sql = sql;
  }

  insert<T extends RowTable>(table: T, row: RowOf<T>): void {
    this.count += 1;
    const { text, columns } = this.#insertion(table);
    const given: { readonly [column: string]: string | number | null } = row;
    const cells =
      bulkTable(table).sequence === undefined
        ? given
        : { ...given, created_seq: this.#nextCreatedSeq(table, given["created_at"]) };
    const values = columns.map((column) => cells[column] ?? null);
    values.push(checksumOfRow(table, cells));
    this.volume += 1;
    for (const value of values) if (typeof value === "string") this.volume += value.length >> 12;
    // A page split must not leave a copy of a secret either.
    if (table === "quarantine") this.#overwriting(() => this.#sql.run(text, ...values));
    else this.#sql.run(text, ...values);
  }

  update<T extends RowTable>(table: T, where: CellsOf<T>, to: CellsOf<T>): void {
    this.#change(this.#updateOf(table, where, to), ...cells(to), ...cells(where));
  }

  remove<T extends RowTable>(table: T, where: CellsOf<T>): void {
    this.#change(`DELETE FROM ${table} WHERE ${marks(where).join(" AND ")}`, ...cells(where));
  }

  run(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.#change(sql.sqlite, ...sqliteValues(values));
  }

  wipe(sql: SqlStatement, ...values: readonly SqlValue[]): void {
    this.count += 1;
    this.#overwriting(() => {
      if (this.#sql.run(sql.sqlite, ...sqliteValues(values)) > 0) this.#wiped = true;
    });
  }

  /**
   * Removes deleted secrets from the write-ahead log after a commit. If a reader blocks the log,
   * the next commit retries it; during a checkpoint, the end of the checkpoint does.
   */
  clearLog(): void {
    if (!this.#wiped) return;
    this.#sql.exec("PRAGMA busy_timeout = 0");
    try {
      const row = this.#sql.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#wiped = row?.busy === 1;
      if (!this.#wiped) this.cleared = this.volume;
    } catch {
      // The commit stays valid, and a later commit clears the log.
    } finally {
      this.#sql.exec("PRAGMA busy_timeout = 5000");
    }
  }

  #nextCreatedSeq(table: RowTable, createdAt: string | number | null | undefined): number {
    const stored = () =>
      this.#sql.get<{ n: number }>(`SELECT COALESCE(MAX(created_seq), 0) AS n FROM ${table}`)?.n;
    const next = nextCreatedSeq(this.#createdSeqs.get(table) ?? stored() ?? 0, Number(createdAt));
    this.#createdSeqs.set(table, next);
    return next;
  }

  #change(text: string, ...values: readonly SQLInputValue[]): void {
    this.count += 1;
    this.volume += 1;
    this.#sql.run(text, ...values);
  }

  /**
   * SQLite leaves deleted data, and data moved within its pages, in place unless `secure_delete`
   * overwrites it.
   */
  #overwriting(change: () => void): void {
    this.#sql.exec("PRAGMA secure_delete = ON");
    try {
      change();
    } finally {
      this.#sql.exec("PRAGMA secure_delete = OFF");
    }
  }

  /** A corrupt row keeps its checksum and stays corrupt. */
  #updateOf(table: RowTable, where: object, to: object): string {
    const changed = Object.keys(to);
    const key = [table, ...changed, "where", ...Object.keys(where)].join(" ");
    const known = this.#updates.get(key);
    if (known !== undefined) return known;
    // Node binds numbers as reals.
    const given = new Map(
      changed.map((column, at) => [
        column,
        columnType(table, column) === "bigint" ? `CAST(?${at + 1} AS INTEGER)` : `?${at + 1}`,
      ]),
    );
    const next = sqliteChecksum(table, (column) => given.get(column) ?? column);
    const set = [...given].map(([column, value]) => `${column} = ${value}`).join(", ");
    const text = `UPDATE ${table} SET ${set},
      checksum = CASE checksum WHEN ${sqliteChecksum(table)} THEN ${next} ELSE checksum END
      WHERE ${marks(where, changed.length).join(" AND ")}`;
    this.#updates.set(key, text);
    return text;
  }

  #insertion(table: RowTable): Insertion {
    const known = this.#insertions.get(table);
    if (known !== undefined) return known;
    const { columns, sequence, conflict = "" } = bulkTable(table);
    const names = Object.keys({ ...columns, ...sequence });
    const replaced = conflict.includes("DO UPDATE") ? ", checksum = excluded.checksum" : "";
    const text = `INSERT INTO ${table} (${names.join(", ")}, checksum) VALUES (${names.map(() => "?").join(", ")}, ?) ${conflict}${replaced}`;
    const insertion = { text, columns: names };
    this.#insertions.set(table, insertion);
    return insertion;
  }
}

function marks(row: object, after = 0): string[] {
  return Object.keys(row).map((column, at) => `${column} = ?${after + at + 1}`);
}

function cells(row: object): SQLInputValue[] {
  return Object.values(row) as SQLInputValue[];
}
