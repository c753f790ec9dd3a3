import { type CombinationName, everywhere } from "../stores/combination-name.ts";
import type { Proof } from "../proof.ts";

const testFiles: { readonly [name in CombinationName]: string } = {
  SQLite: "sqlite.test.ts",
  PostgreSQL: "postgres.test.ts",
  "PostgreSQL and Redis": "redis.test.ts",
};

/** What one proof came to on one combination. */
export interface Result {
  readonly proof: Proof;
  readonly combination: string;
  /** As the cell of the table says it. */
  readonly text: string;
}

export const tableBegin = "<!-- npm run test:breaking -- --write -->";
export const tableEnd = "<!-- end of what it wrote -->";

/**
 * A page with its table of proofs brought up to date: cells of which there is no result stay as
 * they are. Each row links to its test on the first combination that it applies to.
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
    const [first = "SQLite"] = proof.on;
    const link = `[\`${proof.test}\`](../../test/breaking/${testFiles[first]})`;
    return line([proof.title, ...cells, link]);
  });
  const head = ["What is broken", ...everywhere, "Shown by"];
  const table = [line(head), line(head.map(() => "---")), ...rows].join("\n");
  return `${page.slice(0, from)}${tableBegin}\n\n${table}\n\n${page.slice(to)}`;
}

/** A row's first cell → those after it. */
function cellsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const rows = table.split("\n").filter((row) => row.startsWith("|"));
  return new Map(
    rows.map((row) => {
      const [title = "", ...cells] = row
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
