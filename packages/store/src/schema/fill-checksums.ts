import { checkedTables, corruptRow, rowKey, sqliteChecksum } from "./row-checksums.ts";
import type { RowTable } from "../sql/tables.ts";

const quietMs = 3_000;

/* oxlint-disable typescript/no-unnecessary-type-parameters -- a row is what its statement selects */
/** A connection to SQLite. */
interface Sqlite {
  exec(text: string): void;
  run(text: string, ...values: readonly (string | number)[]): number;
  get<Row>(text: string, ...values: readonly (string | number)[]): Row | undefined;
  all<Row>(text: string, ...values: readonly (string | number)[]): readonly Row[];
}
/* oxlint-enable typescript/no-unnecessary-type-parameters */

/**
 * Computes the checksums of rows that a version without checksums wrote. Each transaction covers a
 * thousand rows. A completed table loses its row in `unchecked_tables`, so after a crash the next
 * start continues.
 *
 * @param log gets a line every few seconds if the work takes longer than three
 */
export function fillChecksums(sql: Sqlite, log: (line: string) => void): void {
  const tables = uncheckedTables(sql);
  if (tables.length === 0) return;
  // Otherwise the write-ahead log would grow to the size of the database.
  sql.exec("PRAGMA wal_autocheckpoint = 10000");
  let loggedAt = performance.now();
  const empty = tables.filter((table) => sql.get(`SELECT 1 FROM ${table} LIMIT 1`) === undefined);
  complete(sql, empty);
  for (const table of tables) {
    if (empty.includes(table)) continue;
    const fill = `UPDATE ${table} SET checksum = ${sqliteChecksum(table)} WHERE rowid = ?`;
    for (const rows of rowNumbers(sql, table, "checksum IS NULL")) {
      sql.exec("BEGIN IMMEDIATE");
      for (const row of rows) sql.run(fill, row);
      sql.exec("COMMIT");
      if (performance.now() - loggedAt < quietMs) continue;
      loggedAt = performance.now();
      log(`Computing checksums of the table ${table}: ${rows.at(-1)} rows. Stopping is safe.`);
    }
    complete(sql, [table]);
  }
}

/** Marks tables as checked in one transaction, because each transaction waits for the disk. */
function complete(sql: Sqlite, tables: readonly RowTable[]): void {
  sql.exec("BEGIN IMMEDIATE");
  for (const table of tables) sql.run("DELETE FROM unchecked_tables WHERE name = ?", table);
  sql.exec("COMMIT");
}

/** Yields a sentence for each row whose checksum does not match, by table and key. */
export function* corruptRows(sql: Sqlite): Generator<string> {
  const unchecked = new Set(uncheckedTables(sql));
  for (const table of checkedTables) {
    if (unchecked.has(table)) continue;
    const find = `SELECT ${rowKey(table)} AS key FROM ${table} NOT INDEXED
      WHERE rowid = ? AND checksum IS NOT ${sqliteChecksum(table)}`;
    for (const rows of rowNumbers(sql, table))
      for (const row of rows) {
        const found = sql.get<{ key: string }>(find, row);
        if (found !== undefined) yield corruptRow(table, found.key);
      }
  }
}

function uncheckedTables(sql: Sqlite): readonly RowTable[] {
  return sql.all<{ name: RowTable }>("SELECT name FROM unchecked_tables").map(({ name }) => name);
}

/**
 * Yields the row numbers of a table, a thousand at a time. Each statement reads one row, because
 * `node:sqlite` frees the arguments of a function only when the statement ends.
 */
function* rowNumbers(
  sql: Sqlite,
  table: RowTable,
  condition = "TRUE",
): Generator<readonly number[]> {
  const find = `SELECT rowid AS n FROM ${table} NOT INDEXED WHERE rowid > ? AND ${condition} ORDER BY rowid LIMIT 1000`;
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const rows = sql.all<{ n: number }>(find, after).map(({ n }) => n);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last;
  }
}
