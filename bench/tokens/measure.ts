// Runs the workloads in every column and prints their figures: node bench/tokens/measure.ts
import { countedFigure, type Figure } from "../figure.ts";
import { columns } from "./column.ts";
import { converse } from "./converse.ts";
import { type Cost, sum } from "./price.ts";
import { workloads } from "./workloads.ts";

const figures: Figure[] = [];
for (const workload of workloads) {
  for (const column of columns) {
    const turns = await converse(workload, column);
    add(workload.name, column.name, sum(turns));
    if (turns.length > 1)
      add(`${workload.name}: from the second turn on`, column.name, sum(turns.slice(1)));
  }
}
process.stdout.write(JSON.stringify(figures));

function add(name: string, column: string, { tokens, priced }: Cost): void {
  const label = { subject: "capstan", unit: "tokens" };
  figures.push(countedFigure({ case: `${name}/${column}`, ...label }, tokens));
  figures.push(countedFigure({ case: `${name}, priced/${column}`, ...label }, Math.round(priced)));
}
