import { fileURLToPath } from "node:url";
import { runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench, BenchOptions, Figure } from "./figure.ts";

const measureScript = fileURLToPath(new URL("tokens/measure.ts", import.meta.url));

export const tokens: Bench = {
  name: "tokens",
  description:
    "Tokens of four conversations, sent natively, cut, with logs, and with logs and references; plain, and priced with cached prefixes",
  run,
  table,
};

/** The same on every machine, so once is enough. */
async function* run({ signal }: BenchOptions): AsyncGenerator<Figure> {
  const { code, output, stdout } = await runCommand(process.execPath, [measureScript], {
    env: withSourceCondition(),
    signal,
  });
  if (code !== 0) throw new Error(`The tokens bench ended with code ${code}:\n${output}`);
  yield* JSON.parse(stdout) as readonly Figure[];
}

/** A row a workload, a column a way to run it, each beside the first, which is native. */
function table(figures: readonly Figure[]): string[][] {
  const rows = new Map<string, { readonly column: string; readonly value: number }[]>();
  for (const { case: name, value } of figures) {
    const at = name.lastIndexOf("/");
    const row = rows.get(name.slice(0, at)) ?? [];
    row.push({ column: name.slice(at + 1), value });
    rows.set(name.slice(0, at), row);
  }
  const [first = []] = rows.values();
  const lines = [...rows].map(([name, row]) => {
    const native = row[0]?.value ?? 0;
    const cells = row.map(({ value }, index) => {
      const share = index === 0 ? "" : ` (${Math.round((100 * value) / native)} %)`;
      return `${value.toLocaleString("en-US")}${share}`;
    });
    return [name, ...cells];
  });
  return [["tokens", ...first.map(({ column }) => column)], ...lines];
}
