import type { RowTable } from "../sql/tables.ts";
import type { MigrationStatement } from "./migration.ts";
import { postgresChecksum, sqliteChecksum } from "./row-checksums.ts";

/** Columns that later steps added to tables with checksums. */
const addedColumns = ["created_seq", "state"];

/**
 * Returns the statements that add a checksum to a table.
 *
 * @param without the columns that the table does not have yet. @default those that later steps add
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
 * Returns the statements that add a text column to a table with checksums. Damaged rows remain
 * damaged, and rows without a checksum still have none.
 */
export function addText(
  table: RowTable,
  { column, value }: { readonly column: string; readonly value: string },
): readonly MigrationStatement[] {
  const added = `ADD COLUMN ${column} TEXT NOT NULL DEFAULT '${value}'`;
  return [
    { sqlite: `ALTER TABLE ${table} ${added}` },
    {
      sqlite: `UPDATE ${table} SET checksum =
        CASE checksum WHEN ${sqliteChecksum(table, undefined, [column])} THEN ${sqliteChecksum(table)} ELSE checksum END`,
    },
    ...replaceChecksum(table, [column], added),
  ];
}

/** Marks the damaged rows of a table in PostgreSQL, and changes the columns of its checksum. */
function replaceChecksum(
  table: RowTable,
  without: readonly string[],
  added: string,
): readonly MigrationStatement[] {
  return [
    {
      postgres: `UPDATE ${table} SET is_damaged = TRUE WHERE checksum <> ${postgresChecksum(table, "", without)}`,
    },
    { postgres: `DROP TRIGGER mark_damaged ON ${table}` },
    { postgres: `ALTER TABLE ${table} DROP COLUMN checksum, ${added}` },
    ...computeChecksum(table),
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
