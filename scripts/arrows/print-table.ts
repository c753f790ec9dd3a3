import { importsOf, type ArrowTable, type PackageRules } from "./rules.ts";

/** Returns the table as a Markdown list: packages, what they may import, and their folders in order. */
export function printTable(table: ArrowTable): string {
  return Object.entries(table)
    .flatMap(([name, rules]) => [
      `- **${name}**: ${rules.about}. May import ${importsOf(rules.imports)}.${separateFolders(rules)}`,
      ...Object.entries(rules.folders).map(([folder, about]) => `  - \`${folder}\`: ${about}`),
    ])
    .join("\n");
}

function separateFolders({ separate = [] }: PackageRules): string {
  return separate
    .map((group) =>
      group
        .map((folder) => `\`${folder}\``)
        .join(", ")
        .replace(/, (?=[^,]*$)/, " and "),
    )
    .map((names) => ` ${names} do not import each other.`)
    .join("");
}
