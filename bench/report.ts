import { availableParallelism, cpus, platform, arch } from "node:os";
import type { Figure } from "./figure.ts";
import { type Floor, isMet, measuredValue } from "./floors.ts";

/** Returns a one-line description of the machine, without which figures mean nothing. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${model}, ${availableParallelism()} cores, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

/** Returns a table with one row per figure: its best value and its median. */
export function measuredTable(figures: readonly Figure[]): string[][] {
  const isOneSubject = new Set(figures.map(({ subject }) => subject)).size === 1;
  const row = (work: string, subject: string, best: string, median: string) =>
    isOneSubject ? [work, best, median] : [work, subject, best, median];
  const sorted = [...Map.groupBy(figures, (figure) => figure.case).values()].flat();
  const rows = sorted.map(({ case: work, subject, unit, best, median }) =>
    row(`${work}, ${unit}`, subject, readable(best), readable(median)),
  );
  return [row("work", "subject", "best", "median"), ...rows];
}

/** Returns a table of counts, which have no best value: one row per case, one column per subject. */
export function countTable(figures: readonly Figure[]): string[][] {
  const subjects = [...new Set(figures.map(({ subject }) => subject))];
  const rows = Map.groupBy(figures, (figure) => `${figure.case}, ${figure.unit}`);
  const lines = [...rows].map(([title, row]) => [
    title,
    ...subjects.map((subject) => {
      const figure = row.find((candidate) => candidate.subject === subject);
      return figure === undefined ? "–" : readable(figure.best);
    }),
  ]);
  return [["", ...subjects], ...lines];
}

/** Returns a table with one row per floor: the measured value, the floor, and whether it is met. */
export function floorTable(floors: readonly Floor[], figures: readonly Figure[]): string[][] {
  const rows = floors.map((floor) => {
    const value = measuredValue(floor, figures);
    const compared = floor.relativeTo === undefined ? "" : ` ÷ ${floor.relativeTo}`;
    return [
      `${floor.case}: ${floor.subject}${compared}, ${floor.unit}`,
      value === undefined ? "–" : readable(value),
      `${floor.bound} ${floor.limit}`,
      value === undefined ? "not measured" : isMet(floor, value) ? "met" : "MISSED",
    ];
  });
  return [["floor", "best", "limit", "result"], ...rows];
}

/** Returns the table with aligned columns, for a terminal. */
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

/** Returns the table in Markdown. */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  const rule = heading.map((_, column) => (column === 0 ? "---" : "---:"));
  return [heading, rule, ...rows].map(line).join("\n");
}

/** Formats a number with three significant digits and without an exponent. */
export function readable(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}
