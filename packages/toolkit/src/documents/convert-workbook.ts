import readSheets from "read-excel-file/node";
import { markdownTable } from "./markdown-table.ts";
import { openArchive, repack } from "./open-archive.ts";

/** The limits of a sheet. */
const maxRows = 10_000;
const maxColumns = 200;

/** Returns the sheets of a workbook as tables in Markdown. Formulas have their stored values. */
export async function convertWorkbook(bytes: Uint8Array): Promise<string> {
  const sheets = await readSheets(Buffer.from(repack(openArchive(bytes))));
  const texts = sheets.map(({ sheet, data }) => {
    const rows = data.slice(0, maxRows).map((row) => row.slice(0, maxColumns).map(cellText));
    const isCut = data.length > maxRows || data.some((row) => row.length > maxColumns);
    const note = `[Truncated: the sheet has ${data.length} rows; at most ${maxRows} rows of ${maxColumns} columns are shown.]`;
    const table = rows.length === 0 ? "(empty)" : markdownTable(rows);
    return [`## ${sheet}`, table, ...(isCut ? [note] : [])].join("\n\n");
  });
  return texts.join("\n\n");
}

function cellText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!(value instanceof Date)) return "";
  // Sheets store times as fractions of a day, which are not exact.
  const seconds = Math.round(value.getTime() / 1_000);
  const iso = Number.isNaN(seconds) ? "" : new Date(seconds * 1_000).toISOString();
  return iso.replace(/T00:00:00\.000Z$/, "").replace(/\.000Z$/, "");
}
