import { importsOf, type ArrowTable } from "./rules.ts";

/** Returns the table as a Markdown list: packages, what they may import, and their folders in order. */
export function printTable(table: ArrowTable): string {
  return Object.entries(table)
    .flatMap(([name, rules]) => [
      `- **${name}**: ${rules.about}. May import ${importsOf(rules.imports)}.`,
      ...Object.entries(rules.folders).map(([folder, about]) => `  - \`${folder}\`: ${about}`),
    ])
    .join("\n");
}
