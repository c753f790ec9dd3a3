import stringWidth from "string-width";
import type { Style } from "../terminal/style.ts";
import { formatInline } from "./inline.ts";

/** Whether a line separates the head of a table from its rows. */
export function isTableRule(line: string): boolean {
  return /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line) && line.includes("|");
}

/**
 * Returns the lines of a Markdown table in columns, or unchanged if they are not a table or too wide.
 *
 * @param columns the width of the terminal
 */
export function formatTable(
  lines: readonly string[],
  { style, columns }: { readonly style: Style; readonly columns: number },
): string {
  const [head = "", rule = "", ...body] = lines;
  const asIs = lines.map((line) => `${formatInline(line, style)}\n`).join("");
  if (!isTableRule(rule)) return asIs;
  const rows = [head, ...body].map((line) =>
    cellsOf(line).map((cell) => formatInline(cell, style)),
  );
  const count = Math.max(...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  const total = widths.reduce((sum, width) => sum + width + 3, 1);
  if (total > columns) return asIs;
  const alignments = cellsOf(rule);
  const text = rows.map((row, index) => {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? "";
      const padded = align(cell, width, alignments[column] ?? "");
      return index === 0 ? style.bold(padded) : padded;
    });
    return `${cells.join(style.dim(" │ "))}\n`;
  });
  const line = style.dim(widths.map((width) => "─".repeat(width)).join("─┼─"));
  return [text[0], `${line}\n`, ...text.slice(1)].join("");
}

function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function align(cell: string, width: number, rule: string): string {
  const space = width - stringWidth(cell);
  if (!rule.endsWith(":")) return cell + " ".repeat(space);
  const left = rule.startsWith(":") ? Math.floor(space / 2) : space;
  return " ".repeat(left) + cell + " ".repeat(space - left);
}
