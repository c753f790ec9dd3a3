import type { Bench } from "./bench.ts";
import type { Figure } from "./figure.ts";
import { measurePart } from "./part.ts";

export const tokens: Bench = {
  name: "tokens",
  description:
    "Tokens of four conversations, sent natively, cut, with logs, and with logs and references; plain, and priced with cached prefixes",
  // Token counts are the same on every machine, so one repetition is enough.
  run: ({ signal }) => measurePart({ script: "tokens/measure.ts", repetitions: 1 }, { signal }),
  table,
};

/** One row per workload, one column per way to run it, with its share of the native count. */
function table(figures: readonly Figure[]): string[][] {
  const rows = new Map<string, { readonly column: string; readonly value: number }[]>();
  for (const { case: name, best: value } of figures) {
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
