import { parseArgs } from "node:util";
import type { Bench, BenchOptions } from "./bench.ts";
import { benches } from "./benches.ts";

export const usage = `npm run bench [-- NAME…] [options]

${benches.map(({ name, description }) => `  ${name.padEnd(12)}${description}`).join("\n")}

Each bench ends with its performance floors, and whether they are met.

  --json           prints one line per figure: {"bench","case","subject","unit","best","median"}
  --write          writes the figures into docs/benchmarks.md, with the machine
  --repetitions N  the number of measurements of each part
  --against PATH   measures whole runs here and in another checkout alternately, and nothing else
  --install        installs the peers, and measures nothing
`;

const options = {
  json: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  repetitions: { type: "string" },
  against: { type: "string" },
  install: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface BenchRequest {
  readonly chosen: readonly Bench[];
  readonly json: boolean;
  readonly write: boolean;
  readonly against: string | undefined;
  readonly install: boolean;
  readonly help: boolean;
  readonly run: BenchOptions;
}

/** Returns the parsed options, or a message about invalid arguments. */
export function readRequest(args: string[], signal: AbortSignal): BenchRequest | string {
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
  if (repetitions !== undefined && !(Number.isInteger(repetitions) && repetitions > 0))
    return `--repetitions must be a whole number above 0, not "${values.repetitions}".`;
  return {
    chosen:
      positionals.length === 0 ? benches : benches.filter(({ name }) => positionals.includes(name)),
    json: values.json,
    write: values.write,
    against: values.against,
    install: values.install,
    help: values.help,
    run: { signal, ...(repetitions !== undefined && { repetitions }) },
  };
}
