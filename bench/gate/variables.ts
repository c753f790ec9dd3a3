import { VariableSystem } from "@capstan/core";
import { type Figure, measuredFigure } from "../figure.ts";

const count = 10_000;

export function figures(repetitions: number): readonly Figure[] {
  const variables = new VariableSystem({ capacity: count });
  for (let n = 0; n < count; n++)
    variables.addVariable(`variable-${n}`, `value ${n}`, "LLMAdd", `number ${n}`);
  let more = 0;
  const operations: { readonly [name: string]: () => unknown } = {
    "10,000 variables: list": () => variables.listVariables(),
    "10,000 variables: search": () => variables.listVariables({ search: "number 77" }),
    "10,000 variables: find": () => variables.getVariable(`variable-${(more * 7) % count}`),
    "10,000 variables: add and evict": () =>
      variables.addVariable(`more-${more++}`, "value", "LLMAdd"),
  };
  return Object.entries(operations).map(([name, operation]) => {
    const times = Array.from({ length: repetitions + 5 }, () => time(operation)).slice(5);
    return measuredFigure({ case: name, subject: "capstan", unit: "ms" }, times);
  });
}

/** Returns the milliseconds per operation. */
function time(operation: () => unknown): number {
  const started = performance.now();
  for (let n = 0; n < 20; n++) operation();
  return (performance.now() - started) / 20;
}
