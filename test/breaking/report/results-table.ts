import { everywhere } from "../stores/combination-name.ts";
import type { Proof } from "../proof.ts";

/** The result of one proof on one combination. */
export interface Result {
  readonly proof: Proof;
  readonly combination: string;
  /** The text of its cell. */
  readonly text: string;
}

export const tableBegin = "<!-- npm run test:breaking -- --write -->";
export const tableEnd = "<!-- end of the results -->";

/**
 * Returns a page with an updated table of proofs: cells without a new result stay as they are. The
 * id of a row is `breaking-` and the name of its proof.
 */
export function withResults(
  page: string,
  proofs: readonly Proof[],
  results: readonly Result[],
): string {
  const from = page.indexOf(tableBegin);
  const to = page.indexOf(tableEnd);
  if (from < 0 || to < from)
    throw new Error(`The page has no place for the table: ${tableBegin} … ${tableEnd}.`);
  const before = cellsOf(page.slice(from, to));
  const rows = proofs.map((proof) => {
    const cells = everywhere.map((combination, column) => {
      if (!proof.on.includes(combination)) return "does not apply";
      const result = results.find((one) => one.proof === proof && one.combination === combination);
      return result?.text ?? before.get(proof.title)?.[column] ?? "";
    });
    return line([`breaking-${proof.name}`, proof.title, ...cells]);
  });
  const head = ["Id", "Fault", ...everywhere];
  const table = [line(head), `|${head.map(() => "---").join("|")}|`, ...rows].join("\n");
  return `${page.slice(0, from)}${tableBegin}\n\n${table}\n\n${page.slice(to)}`;
}

/** Returns the results of each row by its title. */
function cellsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = table.split("\n").filter((row) => row.startsWith("|"));
  return new Map(
    rows.map((row) => {
      const [_id, title = "", ...cells] = row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      return [title, cells];
    }),
  );
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
