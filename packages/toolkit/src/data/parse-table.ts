import { openArchive, repack } from "../documents/open-archive.ts";
import { DocumentProblem } from "../documents/document-problem.ts";
import {
  type Cell,
  cellOfText,
  cellOfValue,
  type ColumnType,
  typeOfTexts,
  typeOfValues,
} from "./column-types.ts";
import { DataProblem } from "./data-problem.ts";
import { decodeText } from "./decode-text.ts";
import type { SourceData } from "./read-source.ts";

/** How to read a table. */
export interface TableOptions {
  readonly format?: TableFormat | undefined;
  readonly sheet?: string | undefined;
  readonly encoding?: string | undefined;
  /** Whether the first row has the names of the columns. @default true */
  readonly header?: boolean | undefined;
}

/** The formats of tables. */
export type TableFormat = "csv" | "tsv" | "json" | "jsonl" | "xlsx";

/** A table whose rows SQLite can store. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly rows: readonly (readonly Cell[])[];
}

const maxRows = 500_000;
const maxColumns = 1_000;

/**
 * Reads a table. Files are not trusted: run it in a process with limits on time and memory. Loads
 * the library of the format on first use.
 *
 * @throws DataProblem
 */
export async function parseTable(source: SourceData, options: TableOptions): Promise<Table> {
  const table = await parse(source, options);
  if (table.rows.length > maxRows)
    throw new DataProblem(
      "too_large",
      `"${source.name}" has ${table.rows.length} rows; at most ${maxRows} can be queried.`,
    );
  if (table.columns.length > maxColumns)
    throw new DataProblem(
      "too_large",
      `"${source.name}" has ${table.columns.length} columns; at most ${maxColumns} can be queried.`,
    );
  if (table.columns.length === 0)
    throw new DataProblem("invalid_data", `"${source.name}" has no columns.`);
  return table;
}

async function parse(source: SourceData, options: TableOptions): Promise<Table> {
  if (source.kind === "value") return fromValue(source.value, source.name);
  if (source.kind === "bytes") {
    const format = options.format ?? formatOfName(source.name);
    const isZip = source.bytes[0] === 0x50 && source.bytes[1] === 0x4b;
    if (format === "xlsx" || (format === undefined && isZip))
      return fromWorkbook(source.bytes, source.name, options);
  }
  const text = source.kind === "text" ? source.text : decodeText(source.bytes, options.encoding);
  const plain = text.replace(/^\uFEFF/, "");
  const format = options.format ?? formatOfName(source.name) ?? formatOfText(plain);
  if (format === "json") return fromValue(parseJson(plain, source.name), source.name);
  if (format === "jsonl") return fromValue(parseLines(plain, source.name), source.name);
  return fromCsv(plain, source.name, { ...options, format });
}

function formatOfName(name: string): TableFormat | undefined {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  switch (ending) {
    case "csv":
    case "tsv":
    case "json":
    case "jsonl":
    case "xlsx":
      return ending;
    case "tab":
      return "tsv";
    case "ndjson":
      return "jsonl";
    default:
      return undefined;
  }
}

function formatOfText(text: string): TableFormat {
  const start = text.trimStart();
  if (start.startsWith("[")) return "json";
  if (!start.startsWith("{")) return "csv";
  const [line = ""] = start.split("\n", 1);
  return isJson(line) && start.length > line.length + 1 ? "jsonl" : "json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DataProblem("invalid_data", `"${name}" is not JSON: ${(error as Error).message}.`);
  }
}

function parseLines(text: string, name: string): unknown[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      const message = `Line ${at + 1} of "${name}" is not JSON: ${(error as Error).message}.`;
      throw new DataProblem("invalid_data", message);
    }
  });
}

/** Reads a list of objects, of lists or of single values, or an object that has one in `rows`. */
function fromValue(value: unknown, name: string): Table {
  const list =
    isObject(value) && Array.isArray(value["rows"])
      ? value["rows"]
      : isObject(value)
        ? [value]
        : value;
  if (!Array.isArray(list))
    throw new DataProblem(
      "invalid_data",
      `"${name}" is ${value === null ? "null" : `a ${typeof value}`}, not a list of rows. JsonQuery finds a list in it.`,
    );
  const items: readonly unknown[] = list;
  if (items.length > 0 && items.every((item) => Array.isArray(item))) {
    const width = Math.max(...items.map((item) => item.length));
    const names = Array.from({ length: width }, () => "");
    return table(names, items as readonly (readonly unknown[])[]);
  }
  if (!items.every(isObject))
    return table(
      ["value"],
      items.map((item) => [item]),
    );
  const keys = new Set<string>();
  for (const item of items) for (const key of Object.keys(item)) keys.add(key);
  const names = [...keys];
  return table(
    names,
    items.map((item) => names.map((key) => item[key])),
  );
}

function table(names: readonly string[], rows: readonly (readonly unknown[])[]): Table {
  const columns = distinctNames(names).map((name, at) => ({
    name,
    type: typeOfValues(rows.map((row) => row[at])),
  }));
  return { columns, rows: rows.map((row) => columns.map((_, at) => cellOfValue(row[at]))) };
}

async function fromCsv(text: string, name: string, options: TableOptions): Promise<Table> {
  const { parseCsv } = await import("../libraries/csv.ts");
  const { data, meta, errors } = parseCsv<readonly string[]>(text, {
    skipEmptyLines: "greedy",
    ...(options.format === "tsv" && { delimiter: "\t" }),
  });
  const quote = errors.find(({ type }) => type === "Quotes");
  if (quote !== undefined)
    throw new DataProblem(
      "invalid_data",
      `"${name}" is not CSV: row ${(quote.row ?? 0) + 1}: ${quote.message}.`,
    );
  const hasHeader = options.header !== false;
  const [first = []] = data;
  const rows = hasHeader ? data.slice(1) : data;
  const width = rows.reduce((most, row) => Math.max(most, row.length), first.length);
  const names = Array.from({ length: width }, (_, at) => (hasHeader ? (first[at] ?? "") : ""));
  const columns = distinctNames(names).map((column, at) => ({
    name: column,
    type: typeOfTexts(
      rows.map((row) => row[at] ?? ""),
      meta.delimiter === ";",
    ),
  }));
  return {
    columns,
    rows: rows.map((row) => columns.map(({ type }, at) => cellOfText(row[at] ?? "", type))),
  };
}

async function fromWorkbook(
  bytes: Uint8Array,
  name: string,
  { sheet, header }: TableOptions,
): Promise<Table> {
  const { default: readSheets } = await import("read-excel-file/node");
  let sheets: Awaited<ReturnType<typeof readSheets>>;
  try {
    sheets = await readSheets(Buffer.from(repack(openArchive(bytes))));
  } catch (thrown) {
    // Messages of the library can contain parts of the file.
    const reason = thrown instanceof DocumentProblem ? thrown.message : "it is corrupt";
    throw new DataProblem("invalid_data", `"${name}" cannot be read: ${reason}.`);
  }
  const found = sheet === undefined ? sheets[0] : sheets.find((one) => one.sheet === sheet);
  if (found === undefined)
    throw new DataProblem(
      "unknown_sheet",
      `"${name}" has no sheet "${sheet ?? "1"}". Its sheets are ${sheets.map((one) => one.sheet).join(", ")}.`,
    );
  const data = found.data as readonly (readonly unknown[])[];
  const hasHeader = header !== false;
  const [first = []] = data;
  const rows = (hasHeader ? data.slice(1) : data).filter((row) =>
    row.some((value) => value !== null && value !== ""),
  );
  const width = rows.reduce((most, row) => Math.max(most, row.length), first.length);
  const names = Array.from({ length: width }, (_, at) =>
    hasHeader ? String(cellOfValue(first[at]) ?? "") : "",
  );
  return table(names, rows);
}

/** SQLite ignores the case of names, so names that differ only in case get a number. */
function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((given, at) => {
    // oxlint-disable-next-line no-control-regex -- a NUL would end the statement
    const name = given.replaceAll(/[\u0000-\u001f]+/g, " ").trim() || `column_${at + 1}`;
    let distinct = name;
    for (let count = 2; taken.has(distinct.toLowerCase()); count++) distinct = `${name}_${count}`;
    taken.add(distinct.toLowerCase());
    return distinct;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
