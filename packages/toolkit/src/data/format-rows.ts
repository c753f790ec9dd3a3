import { markdownTable } from "../documents/markdown-table.ts";
import { countOf } from "../text/format-bytes.ts";
import type { QueryResult } from "./query-tables.ts";

/** Formats the rows and a summary of the tables for the model. */
export function formatRows({ columns, rows, hasMore, tables }: QueryResult): string {
  const shown = markdownTable([
    columns,
    ...rows.map((row) => columns.map((column) => shownCell(row[column]))),
  ]);
  const more = hasMore ? " There are more rows: raise limit, or select less." : "";
  const read = tables.map(
    ({ name, rows, columns }) =>
      `${name}: ${countOf(rows, "row")} (${columns
        .slice(0, 40)
        .map((column) => `${column.name} ${column.type}`)
        .join(", ")})`,
  );
  return `${shown}\n[${countOf(rows.length, "row")}.${more} Read ${read.join("; ")}.]`;
}

function shownCell(cell: QueryResult["rows"][number][string] | undefined): string {
  if (cell === null || cell === undefined) return "NULL";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}
