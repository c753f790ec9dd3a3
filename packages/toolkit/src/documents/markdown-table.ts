/**
 * Returns rows as a table in Markdown. The first row is the header.
 *
 * @example markdownTable([["Name", "Depth"], ["North", "12"]]);
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length), 1);
  const line = (row: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, n) => cell(row[n] ?? "")).join(" | ")} |`;
  const [header = [], ...rest] = rows;
  return [line(header), `|${" --- |".repeat(columns)}`, ...rest.map(line)].join("\n");
}

function cell(text: string): string {
  return text
    .trim()
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("<br>");
}
