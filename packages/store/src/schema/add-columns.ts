import type { RowTable } from "../sql/tables.ts";
import type { MigrationStatement } from "./migration.ts";
import { postgresChecksum, sqliteChecksum } from "./row-checksums.ts";

/** Columns that later steps added to tables with checksums. */
const addedColumns = ["created_seq", "state"];

/**
 * Returns the statements that add a checksum to a table.
 *
 * @param without the columns that the table does not have yet. @default the columns of later steps
 */
export function addChecksum(
  table: RowTable,
  without: readonly string[] = addedColumns,
): readonly MigrationStatement[] {
  return [
    { sqlite: `ALTER TABLE ${table} ADD COLUMN checksum INTEGER` },
    {
      postgres: `ALTER TABLE ${table} ADD COLUMN is_damaged BOOLEAN NOT NULL DEFAULT FALSE`,
    },
    ...computeChecksum(table, without),
  ];
}

function computeChecksum(
  table: RowTable,
  without: readonly string[] = [],
): readonly MigrationStatement[] {
  return [
    {
      postgres: `ALTER TABLE ${table} ADD COLUMN checksum BIGINT NOT NULL
        GENERATED ALWAYS AS (${postgresChecksum(table, "", without)}) STORED`,
    },
    {
      postgres: `CREATE TRIGGER mark_damaged BEFORE UPDATE ON ${table} FOR EACH ROW
        WHEN (OLD.checksum <> ${postgresChecksum(table, "OLD.", without)}) EXECUTE FUNCTION mark_damaged()`,
    },
  ];
}

/**
 * Returns the statements that add `created_seq` to a table. Existing rows get small numbers: in
 * SQLite in the order of insertion, which `VACUUM` keeps. Damaged rows remain damaged, and rows
 * without a checksum still have none.
 */
export function addSequence(table: RowTable): readonly MigrationStatement[] {
  const next = sqliteChecksum(table, (column) => (column === "created_seq" ? "rowid" : column));
  return [
    { sqlite: `ALTER TABLE ${table} ADD COLUMN created_seq BIGINT` },
    {
      sqlite: `UPDATE ${table} SET created_seq = rowid, checksum =
        CASE checksum WHEN ${sqliteChecksum(table, undefined, addedColumns)} THEN ${next} ELSE checksum END`,
    },
    {
      postgres: `UPDATE ${table} SET is_damaged = TRUE
        WHERE checksum <> ${postgresChecksum(table, "", addedColumns)}`,
    },
    { postgres: `DROP TRIGGER mark_damaged ON ${table}` },
    { postgres: `ALTER TABLE ${table} DROP COLUMN checksum, ADD COLUMN created_seq BIGINT` },
    {
      postgres: `UPDATE ${table} t SET created_seq = o.n
        FROM (SELECT ctid AS at, row_number() OVER (ORDER BY created_at, id) AS n FROM ${table}) o WHERE t.ctid = o.at`,
    },
    { postgres: `ALTER TABLE ${table} ALTER COLUMN created_seq SET NOT NULL` },
    {
      postgres: `CREATE TRIGGER set_created_seq BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION set_created_seq()`,
    },
    ...computeChecksum(table),
  ];
}

/**
 * Returns the statements that add a column with a default value to a table. Damaged rows remain
 * damaged.
 *
 * @param added.type the type of the column, with its default
 */
export function addColumn(
  table: RowTable,
  { column, type }: { readonly column: string; readonly type: string },
): readonly MigrationStatement[] {
  return [
    { sqlite: `ALTER TABLE ${table} ADD COLUMN ${column} ${type}` },
    {
      sqlite: `UPDATE ${table} SET checksum = ${sqliteChecksum(table)}
        WHERE checksum = ${sqliteChecksum(table, undefined, [column])}`,
    },
    {
      postgres: `UPDATE ${table} SET is_damaged = TRUE
        WHERE checksum <> ${postgresChecksum(table, "", [column])}`,
    },
    { postgres: `DROP TRIGGER mark_damaged ON ${table}` },
    { postgres: `ALTER TABLE ${table} DROP COLUMN checksum, ADD COLUMN ${column} ${type}` },
    ...computeChecksum(table),
  ];
}
