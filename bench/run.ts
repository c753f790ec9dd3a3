// npm run bench [-- NAME…] [options]; --help describes them.
import { resolve } from "node:path";
import { compareWith } from "./against.ts";
import type { Bench } from "./bench.ts";
import { writeFigures } from "./document.ts";
import type { Figure } from "./figure.ts";
import { floors } from "./floors.ts";
import { installPeers } from "./install.ts";
import { type BenchRequest, readRequest, usage } from "./options.ts";
import { alignedTable, floorTable, machine, markdownTable, measuredTable } from "./report.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  const request = readRequest(args, stop.signal);
  if (typeof request === "string") {
    process.stderr.write(`${request}\n\n${usage}`);
    return 2;
  }
  if (request.help) print(usage);
  else if (request.install) await installPeers();
  else if (request.against !== undefined) {
    // npm runs scripts in the root folder; a relative path is relative to where the user is.
    const against = resolve(process.env["INIT_CWD"] ?? ".", request.against);
    const table = await compareWith({ ...request.run, against });
    print(`${machine()}\n\n${alignedTable(table)}`);
  } else await runBenches(request);
  return 0;
}

async function runBenches(request: BenchRequest): Promise<void> {
  if (request.chosen.some(({ peers }) => peers === true)) await installPeers();
  if (!request.json) print(machine());
  const all: Figure[] = [];
  for (const bench of request.chosen) {
    const figures = await bench.run(request.run);
    all.push(...figures);
    if (request.json) printLines(bench, figures);
    else
      print(`\n${bench.name}: ${bench.description}\n\n${tablesOf(bench, figures, alignedTable)}`);
    if (!request.write) continue;
    const day = new Date().toISOString().slice(0, 10);
    const tables = tablesOf(bench, figures, markdownTable);
    await writeFigures(bench.name, `${machine()}; ${day}.\n\n${tables}`);
  }
  const names = new Set(request.chosen.map(({ name }) => name));
  const wanted = floors.filter(({ bench }) => names.has(bench));
  if (!request.json && request.chosen.length > 1)
    print(`\nAll floors:\n\n${alignedTable(floorTable(wanted, all))}`);
}

function printLines({ name }: Bench, figures: readonly Figure[]): void {
  for (const figure of figures) print(JSON.stringify({ bench: name, ...figure }));
}

/** Formats a bench's figures, and below them its floors, if it has some. */
function tablesOf(
  { name, table = measuredTable }: Bench,
  figures: readonly Figure[],
  format: typeof alignedTable,
): string {
  const own = floors.filter(({ bench }) => bench === name);
  const tables = own.length === 0 ? [table(figures)] : [table(figures), floorTable(own, figures)];
  return tables.map(format).join("\n\n");
}
