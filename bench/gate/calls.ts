import { defineTool, defineToolGroup, ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import { z } from "zod";
import { best, type Figure, median } from "../figure.ts";

/** Calls in one round. At this number the clock's resolution does not matter. */
const calls = 500;
/** About 2 KB of text, like a model's arguments of an edit. */
const page = "The quick brown fox jumps over the lazy dog. ".repeat(40);

interface Case {
  readonly name: string;
  readonly args: string;
  /** The same call without the gate. */
  readonly bare: () => unknown;
  readonly executor: ToolExecutor;
}

const add = ({ a, b }: { readonly a: number; readonly b: number }) => a + b;
const write = ({ path, text }: { readonly path: string; readonly text: string }) =>
  `${path}: ${text.length} characters`;

function executorWith(tool: ReturnType<typeof defineTool>, options: ToolExecutorOptions) {
  const executor = new ToolExecutor(options);
  executor.registerToolGroup(defineToolGroup({ name: "bench", tools: [tool] }));
  executor.toggleGroupEnabled("bench", true);
  return executor;
}

const description = "Measured.";
const plain = defineTool({
  name: "Call",
  description,
  parameters: z.object({ a: z.number(), b: z.number() }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: add,
});
const asking = defineTool({
  name: "Call",
  description,
  parameters: z.object({ path: z.string(), text: z.string() }),
  effects: { locks: ({ path }) => [path] },
  permission: { executionPolicy: "ask-always" },
  execute: write,
});

const cases: readonly Case[] = [
  {
    name: "added to a call",
    args: '{"a":1,"b":2}',
    bare: () => add({ a: 1, b: 2 }),
    executor: executorWith(plain, {}),
  },
  {
    name: "added to a call with a reference and an approval, 2 KB",
    args: JSON.stringify({ path: "notes/$VAR_REF{{name}}.md", text: page }),
    bare: () => write({ path: "notes/fox.md", text: page }),
    executor: executorWith(asking, { approvals: { request: () => ({ decision: "allow" }) } }),
  },
];

export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const all: Figure[] = [];
  for (const { name, args, bare, executor } of cases) {
    executor.variables.addVariable("name", "fox", "USER_ADD");
    const gated = async () => {
      const result = await executor.execute("Call", args);
      if (result.status !== "success") throw new Error(`The call ended as ${result.status}.`);
      return result.data;
    };
    if (String(await gated()) !== String(bare())) throw new Error("The gate changed the result.");
    const times = await timeByTurns(repetitions, bare, gated);
    const added = (value: (microseconds: readonly number[]) => number) =>
      value(times.gated) - value(times.bare);
    const label = { case: name, subject: "capstan", unit: "µs" };
    all.push({ ...label, best: added((values) => best(values, "µs")), median: added(median) });
  }
  return all;
}

/**
 * Returns the microseconds per call of each round. Awaits calls without the gate, like calls
 * through it.
 */
async function timeByTurns(repetitions: number, bare: () => unknown, gated: () => unknown) {
  const times = { bare: [] as number[], gated: [] as number[] };
  for (let round = 0; round < repetitions * 20; round++) {
    times.bare.push(await timeRound(bare));
    times.gated.push(await timeRound(gated));
  }
  return times;
}

async function timeRound(call: () => unknown): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < calls; n++) await call();
  return ((performance.now() - started) * 1_000) / calls;
}
