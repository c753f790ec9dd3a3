import { availableParallelism, cpus, platform, arch } from "node:os";
import type { Figure } from "./figure.ts";

/** The machine in one line, as figures mean nothing without it. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${availableParallelism()} cores, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

/** Figures as a table: a row a case, a column a subject; the first line is the heading. */
export function tableOf(figures: readonly Figure[]): string[][] {
  const subjects = [...new Set(figures.map(({ subject }) => subject))];
  const rows = Map.groupBy(figures, (figure) => `${figure.case}, ${figure.unit}`);
  const lines = [...rows].map(([title, row]) => [
    title,
    ...subjects.map((subject) => {
      const figure = row.find((candidate) => candidate.subject === subject);
      return figure === undefined ? "–" : readable(figure.value);
    }),
  ]);
  return [["", ...subjects], ...lines];
}

/** The table with its columns aligned, for a terminal. */
export function alignedTable(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ");
  return table.map(line).join("\n");
}

/** The table in Markdown. */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  const rule = heading.map((_, column) => (column === 0 ? "---" : "---:"));
  return [heading, rule, ...rows].map(line).join("\n");
}

/** Three significant digits, never in exponents. */
function readable(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}
