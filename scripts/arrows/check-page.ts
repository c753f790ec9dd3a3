import { printTable } from "./print-table.ts";
import type { ArrowTable } from "./rules.ts";

/** The page that lists the packages and their folders for newcomers. */
export const architecturePage = "docs/architecture.md";

/**
 * Checks that the architecture page contains the table as `--print` writes it.
 *
 * @returns a sentence if it does not
 */
export function checkPage(
  texts: ReadonlyMap<string, string>,
  table: ArrowTable,
): readonly string[] {
  if (texts.get(architecturePage)?.includes(printTable(table)) === true) return [];
  return [
    `${architecturePage} does not list the packages and folders as scripts/arrows/packages.ts does. Replace its list with the output of "node scripts/arrows/main.ts --print".`,
  ];
}
