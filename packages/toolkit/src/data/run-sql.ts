import { constants, DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { JsonValue } from "@capstan/core";
import { DataProblem } from "./data-problem.ts";
import type { Table } from "./parse-table.ts";

/** A table with its name in the query. */
export interface NamedTable extends Table {
  readonly name: string;
}

/** The rows of a query. */
export interface QueryRows {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, JsonValue>>[];
  /** Whether the query has more rows. */
  readonly hasMore: boolean;
}

const allowed: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
]);
const maxResultChars = 20_000_000;

/**
 * Runs one SELECT over tables in memory. The authorizer rejects everything except reads and
 * function calls. A statement cannot be interrupted: run it in a process that can be killed.
 *
 * @throws DataProblem
 */
export function runSql(sql: string, tables: readonly NamedTable[], maxRows: number): QueryRows {
  using database = new DatabaseSync(":memory:", {
    allowExtension: false,
    limits: { length: 50_000_000, sqlLength: 100_000, attach: 0 },
  });
  database.exec("PRAGMA temp_store = MEMORY");
  for (const table of tables) insert(database, table);
  database.setAuthorizer((action, _argument, name) =>
    allowed.has(action) ||
    (action === constants.SQLITE_FUNCTION && name?.toLowerCase() !== "load_extension")
      ? constants.SQLITE_OK
      : constants.SQLITE_DENY,
  );
  try {
    const statement = database.prepare(sql);
    if (hasMoreThanComments(sql.slice(statement.sourceSQL.length)))
      throw new DataProblem("not_allowed", "Give one statement: there is text after the first.");
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const columns = distinctColumns(statement.columns().map(({ name }) => name));
    const rows: Record<string, JsonValue>[] = [];
    let chars = 0;
    for (const row of statement.iterate() as Iterable<unknown>) {
      if (rows.length === maxRows) return { columns, rows, hasMore: true };
      const cells = (row as readonly SQLOutputValue[]).map(jsonOf);
      for (const cell of cells) chars += typeof cell === "string" ? cell.length : 8;
      if (chars > maxResultChars)
        throw new DataProblem("too_large", "The result has over 20 MB. Select less.");
      rows.push(Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null])));
    }
    return { columns, rows, hasMore: false };
  } catch (thrown) {
    throw problemOf(thrown, tables);
  }
}

function insert(database: DatabaseSync, { name, columns, rows }: NamedTable): void {
  const list = columns.map((column) => `${quoted(column.name)} ${affinity(column.type)}`);
  database.exec(`CREATE TABLE ${quoted(name)} (${list.join(", ")})`);
  const marks = columns.map(() => "?").join(", ");
  const statement = database.prepare(`INSERT INTO ${quoted(name)} VALUES (${marks})`);
  database.exec("BEGIN");
  for (const row of rows)
    statement.run(
      // Without `BigInt`, SQLite would store whole numbers as real numbers.
      ...row.map((cell) =>
        typeof cell === "number" && Number.isSafeInteger(cell) ? BigInt(cell) : cell,
      ),
    );
  database.exec("COMMIT");
}

function affinity(type: Table["columns"][number]["type"]): string {
  return type === "integer" ? "INTEGER" : type === "real" ? "REAL" : type === "empty" ? "" : "TEXT";
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function hasMoreThanComments(rest: string): boolean {
  return rest.replaceAll(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\s;]+/g, "") !== "";
}

function distinctColumns(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let count = 2; taken.has(distinct); count++) distinct = `${name}_${count}`;
    taken.add(distinct);
    return distinct;
  });
}

function jsonOf(value: SQLOutputValue): JsonValue {
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value === "string") return value;
  return `[${value.byteLength} bytes]`;
}

function problemOf(thrown: unknown, tables: readonly NamedTable[]): unknown {
  if (thrown instanceof DataProblem || !(thrown instanceof Error)) return thrown;
  const { message } = thrown;
  if (/not authorized|prohibited|authorization/i.test(message))
    return new DataProblem(
      "not_allowed",
      `Only one SELECT is allowed, over the named tables: ${message}.`,
    );
  const shown = tables.map(
    ({ name, columns }) =>
      `${name}(${columns
        .slice(0, 40)
        .map((column) => `${quoted(column.name)} ${column.type}`)
        .join(", ")})`,
  );
  return new DataProblem("invalid_query", `SQLite: ${message}. Tables: ${shown.join("; ")}.`);
}
