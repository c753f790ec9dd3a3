// npm run bench [-- NAME…] [--json] [--write] [--repetitions N]
import { parseArgs } from "node:util";
import { benches } from "./benches.ts";
import { writeFigures } from "./document.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";
import { installPeers } from "./install.ts";
import { alignedTable, machine, markdownTable, tableOf } from "./report.ts";

const usage = `npm run bench [-- NAME…] [options]

${benches.map(({ name, description }) => `  ${name.padEnd(12)}${description}`).join("\n")}

  --json           one line a figure: {"bench","case","subject","value","unit"}
  --write          puts the figures into docs/benchmarks.md, with the machine
  --repetitions N  measured repetitions; a figure is their median
`;

const options = {
  json: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  repetitions: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const request = read(args);
  if (typeof request === "string") {
    process.stderr.write(`${request}\n\n${usage}`);
    return 2;
  }
  if (request.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (request.chosen.some(({ peers }) => peers === true)) await installPeers();
  if (!request.json) process.stdout.write(`${machine()}\n`);
  for (const bench of request.chosen) {
    const figures: Figure[] = [];
    for await (const figure of bench.run(request.run)) {
      figures.push(figure);
      if (request.json)
        process.stdout.write(`${JSON.stringify({ bench: bench.name, ...figure })}\n`);
    }
    const table = bench.table?.(figures) ?? tableOf(figures);
    if (!request.json) {
      process.stdout.write(`\n${bench.name}: ${bench.description}\n\n${alignedTable(table)}\n`);
    }
    if (request.write) {
      const day = new Date().toISOString().slice(0, 10);
      await writeFigures(bench.name, `${machine()}; ${day}.\n\n${markdownTable(table)}`);
    }
  }
  return 0;
}

interface BenchRequest {
  readonly chosen: readonly Bench[];
  readonly json: boolean;
  readonly write: boolean;
  readonly help: boolean;
  readonly run: BenchOptions;
}

/** The request, or what is wrong with it. */
function read(args: string[]): BenchRequest | string {
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { values, positionals } = parsed;
  const unknown = positionals.find((name) => !benches.some((bench) => bench.name === name));
  if (unknown !== undefined) return `There is no bench "${unknown}".`;
  const repetitions = values.repetitions === undefined ? undefined : Number(values.repetitions);
  if (repetitions !== undefined && !(Number.isInteger(repetitions) && repetitions > 0)) {
    return `--repetitions must be a whole number above 0, not "${values.repetitions}".`;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  return {
    chosen:
      positionals.length === 0 ? benches : benches.filter(({ name }) => positionals.includes(name)),
    json: values.json,
    write: values.write,
    help: values.help,
    run: { signal: stop.signal, ...(repetitions !== undefined && { repetitions }) },
  };
}
