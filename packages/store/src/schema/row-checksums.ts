import { crc32 } from "node:zlib";
import { CapstanError } from "@capstan/core/base";
import type { Dialect } from "../sql/dialect.ts";
import { bulkTable, type RowTable, tables } from "../sql/tables.ts";

/** The tables whose rows have a checksum. */
export const checkedTables = Object.keys(tables) as readonly RowTable[];

/** A migration that adds a column must compute the checksums of its table again. */
function columnsOf(dialect: Dialect["name"], table: RowTable): readonly string[] {
  const { columns, later, sequence } = bulkTable(table);
  const names = Object.keys({ ...columns, ...later, ...sequence });
  const isTail = table === "tail" && dialect === "postgres";
  return isTail ? names.filter((name) => name !== "n" && name !== "prev") : names;
}

/**
 * Returns an SQL expression for the checksum of a row in SQLite: a CRC-32 of the types and values
 * of all cells.
 *
 * @param cellOf returns the expression of a column's value.
 * @default the column
 * @param without the columns that the table did not have yet
 */
export function sqliteChecksum(
  table: RowTable,
  cellOf: (column: string) => string = (column) => column,
  without: readonly string[] = [],
): string {
  const columns = columnsOf("sqlite", table).filter((column) => !without.includes(column));
  const cells = columns.map(cellOf);
  const typed = cells.map((cell) => `typeof(${cell}), ${cell}`);
  return `row_checksum(CAST(concat_ws('|', ${typed.join(", ")}) AS BLOB))`;
}

/** Computes the SQL function `row_checksum` of SQLite. */
export function checksumOfBytes(cells: unknown): number {
  return crc32(cells as Uint8Array);
}

/**
 * Returns the checksum of a row before it is inserted, equal to that of `sqliteChecksum`. Its
 * numbers must be integers.
 */
export function checksumOfRow(
  table: RowTable,
  row: { readonly [column: string]: string | number | null | undefined },
): number {
  let cells = "";
  for (const column of columnsOf("sqlite", table)) {
    const cell = row[column];
    if (cells !== "") cells += "|";
    if (cell === undefined || cell === null) cells += "null";
    else cells += typeof cell === "string" ? `text|${cell}` : `integer|${cell}`;
  }
  return crc32(cells);
}

/**
 * Returns an SQL expression for the checksum of a row in PostgreSQL: a 64-bit hash of all cells.
 *
 * @param without the columns that the table did not have yet
 */
export function postgresChecksum(
  table: RowTable,
  row = "",
  without: readonly string[] = [],
): string {
  const columns = columnsOf("postgres", table).filter((column) => !without.includes(column));
  const cells = columns.map((name) => `coalesce('+' || ${row}${name}::text, '-')`);
  return `hashtextextended((${cells.join(" || '|' || ")}) COLLATE "C", 0)`;
}

/** Returns an SQL condition that is true if a row of PostgreSQL is corrupt. */
export function postgresDamage(table: RowTable, row = ""): string {
  return `(${row}is_damaged OR ${row}checksum <> ${postgresChecksum(table, row)})`;
}

/** A row with the column that `isIntact` selects. */
export interface CheckedRow {
  readonly is_intact: number;
}

/**
 * Returns an SQL expression that is 1 if a row has its original cells, and otherwise 0. The absent
 * row of a left join counts as intact.
 */
export function isIntact({ name }: Dialect, table: RowTable, alias: string): string {
  const row = `${alias}.`;
  const differs =
    name === "sqlite"
      ? `${row}rowid IS NOT NULL AND ${row}checksum IS NOT ${sqliteChecksum(table, (column) => row + column)}`
      : postgresDamage(table, row);
  return `CASE WHEN ${differs} THEN 0 ELSE 1 END`;
}

/** Extends a condition to select corrupt rows as well, because their cells cannot be trusted. */
export function orCorrupt(
  dialect: Dialect,
  condition: string,
  table: RowTable,
  alias: string,
): string {
  return `(${condition} OR ${isIntact(dialect, table, alias)} = 0)`;
}

/**
 * Checks that rows have their original cells.
 *
 * @throws CapstanError `database_corrupt`
 */
export function requireIntact(table: RowTable, ...rows: readonly CheckedRow[]): void {
  if (rows.every((row) => row.is_intact === 1)) return;
  throw new CapstanError({
    code: "database_corrupt",
    message:
      `A row of the table ${table} is corrupt: its checksum does not match its cells. "capstan db check" names ` +
      "the row. Restore the last backup, or delete the run or conversation that the row belongs to.",
  });
}

const keys: { readonly [T in RowTable]: readonly string[] } = {
  runs: ["n"],
  run_requests: ["run_n"],
  run_results: ["run_n"],
  run_blobs: ["run_n", "sha256"],
  run_journal: ["run_n", "seq", "nth"],
  tail: ["run_n", "seq"],
  run_variables: ["run_n", "n"],
  variable_values: ["owner", "digest", "session_id"],
  manifests: ["session_id", "digest"],
  items: ["run_n", "direction", "n"],
  answerable_calls: ["run_n", "call_id", "answered_by"],
  client_outputs: ["run_n", "call_id"],
  approvals: ["id"],
  grants: ["id"],
  quarantine: ["id", "part"],
  conversations: ["id"],
  overrides: ["owner", "id"],
  agents: ["owner", "name"],
  connections: ["name"],
  credentials: ["connection", "owner", "field"],
  request_keys: ["owner", "id"],
  files: ["id"],
  uploads: ["id"],
  upload_parts: ["id"],
  thread_objects: ["id"],
  search_objects: ["id"],
  search_chunks: ["store_id", "file_id", "version", "position"],
  hidden_chunks: ["store_id", "file_id", "from_version"],
  run_files: ["run_n", "file_id"],
  completions: ["run_n"],
  run_words: ["run_n"],
  run_usage: ["run_n"],
  webhook_messages: ["endpoint", "id"],
  shares: ["conversation_id"],
};

/** Returns the message for a corrupt row. */
export function corruptRow(table: RowTable, key: string): string {
  return `Row ${key} of the table ${table} is corrupt: its checksum does not match its cells.`;
}

/** Returns an SQL expression for the key of a row, as messages show it. */
export function rowKey(table: RowTable): string {
  return `concat_ws('/', ${keys[table].join(", ")})`;
}
