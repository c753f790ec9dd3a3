import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Random } from "../breaking/random.ts";

export const places = ["row", "index", "page", "log", "input"] as const;
export type DamagedPlace = (typeof places)[number];

const pageBytes = 4_096;

/**
 * Damages a SQLite data directory at one offset or row. Returns false if there is no such place.
 */
export function damage(random: Random, dataDir: string, place: DamagedPlace): boolean {
  const database = join(dataDir, "capstan.db");
  if (place === "row") return damageRow(random, database);
  if (place === "input") {
    const folder = join(dataDir, "blobs");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const inputs = files.filter((file) => file.isFile());
    if (inputs.length === 0) return false;
    const { parentPath, name } = random.pick(inputs);
    return flip(random, join(parentPath, name), () => true);
  }
  if (place === "log") return flip(random, `${database}-wal`, () => true);
  // Pages of an index begin with 2 or 10.
  const isIndex = (bytes: Buffer, page: number) =>
    place === "page" || [2, 10].includes(bytes[page * pageBytes] ?? 0);
  return flip(random, database, isIndex);
}

/** Flips a bit in a matching page after the first. */
function flip(
  random: Random,
  path: string,
  isWanted: (bytes: Buffer, page: number) => boolean,
): boolean {
  const bytes = readFileSync(path);
  const pages = Array.from({ length: Math.ceil(bytes.length / pageBytes) }, (_, page) => page);
  const wanted = pages.filter((page) => page > 0 && isWanted(bytes, page));
  if (wanted.length === 0) return false;
  const from = random.pick(wanted) * pageBytes;
  const at = random.between(from, Math.min(from + pageBytes, bytes.length) - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
  writeFileSync(path, bytes);
  return true;
}

/** Changes a character of a text in a row without updating its checksum. */
function damageRow(random: Random, path: string): boolean {
  const sql = new DatabaseSync(path);
  try {
    const tables = tablesOf(sql).filter((table) => columnsOf(sql, table).includes("checksum"));
    const cells = tables.flatMap((table) =>
      columnsOf(sql, table).flatMap((column) =>
        sql
          .prepare(
            `SELECT rowid AS row, ${column} AS text FROM ${table} WHERE typeof(${column}) = 'text' AND length(${column}) > 0`,
          )
          .all()
          .map(({ row, text }) => ({ table, column, row: Number(row), text: String(text) })),
      ),
    );
    const { table, column, row, text } = random.pick(cells);
    const at = random.between(0, text.length - 1);
    const changed = `${text.slice(0, at)}${text[at] === "e" ? "i" : "e"}${text.slice(at + 1)}`;
    sql.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(changed, row);
    return true;
  } finally {
    sql.close();
  }
}

/** Returns the content of a database as text, or `undefined` if it cannot be read. */
export function contentOf(dataDir: string): string | undefined {
  return cellsOf(dataDir, () => "*");
}

/**
 * Returns the key cells of all rows as text, or `undefined` if the database cannot be read.
 * If a row's owner, id or name is damaged, no request finds it, so only `db check` names it.
 */
export function keysOf(dataDir: string): string | undefined {
  return cellsOf(dataDir, (sql, table) =>
    columnsOf(sql, table)
      .filter((column) =>
        /^(?:n|id|owner|name|kind|seq|part|digest|hash)$|_(?:n|id|seq)$/.test(column),
      )
      .join(", "),
  );
}

function cellsOf(
  dataDir: string,
  columns: (sql: DatabaseSync, table: string) => string,
): string | undefined {
  const sql = new DatabaseSync(join(dataDir, "capstan.db"), { readOnly: true });
  try {
    return tablesOf(sql)
      .map((table) => {
        const read = `SELECT ${columns(sql, table) || "1"} FROM ${table} NOT INDEXED`;
        return JSON.stringify(sql.prepare(read).all());
      })
      .join("\n");
  } catch {
    return undefined;
  } finally {
    sql.close();
  }
}

function tablesOf(sql: DatabaseSync): readonly string[] {
  return sql
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all()
    .map(({ name }) => String(name));
}

function columnsOf(sql: DatabaseSync, table: string): readonly string[] {
  return sql
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name));
}
