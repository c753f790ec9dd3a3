// node scripts/arrows/main.ts [--print] [ROOT]: checks which package and which folder imports which.
// Exits with 1 if there are problems. --print writes the table as Markdown for docs/architecture.md.
import { parseArgs } from "node:util";
import { root } from "../command.ts";
import { checkArrows } from "./check-arrows.ts";
import { packages } from "./packages.ts";
import { printTable } from "./print-table.ts";
import { readTexts } from "./read-texts.ts";

const { values, positionals } = parseArgs({
  options: { print: { type: "boolean", default: false } },
  allowPositionals: true,
});
if (values.print) console.log(printTable(packages));
else {
  const problems = checkArrows(readTexts(positionals[0] ?? root), packages);
  for (const problem of problems) console.log(problem);
  if (problems.length > 0)
    console.log(
      `\n${problems.length} ${problems.length === 1 ? "problem" : "problems"}. The rules are in scripts/arrows/packages.ts; decision 0001 gives the reasons.`,
    );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
