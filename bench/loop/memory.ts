// Measures the memory that the result of a chain of 1,000 rounds holds, with small results and
// with big ones: node --expose-gc bench/loop/memory.ts REPETITIONS
import {
  defineTool,
  defineToolGroup,
  type Model,
  type ModelEvent,
  runToolChain,
  ToolExecutor,
  VariableSystem,
} from "@capstan/core";
import { setImmediate } from "node:timers/promises";
import { type Figure, measuredFigure } from "../figure.ts";

const rounds = 1_000;
const collect = globalThis.gc;
if (collect === undefined) throw new Error("Run this with --expose-gc.");

const repetitions = Number(process.argv[2]);
const sizes = { "100 B": 100, "100 KB": 100_000 } as const;

// The first runs warm up code and caches that all runs share.
for (const characters of Object.values(sizes)) await kept(characters);
const figures: Figure[] = [];
for (const [name, characters] of Object.entries(sizes)) {
  const measured: Awaited<ReturnType<typeof kept>>[] = [];
  for (let n = 0; n < repetitions; n++) measured.push(await kept(characters));
  for (const [what, key] of [
    ["heap held", "record"],
    ["log", "log"],
  ] as const) {
    const work = `1,000 rounds with results of ${name}: ${what}`;
    const values = measured.map((bytes) => bytes[key] / 1024);
    figures.push(measuredFigure({ case: work, subject: "capstan", unit: "KiB" }, values));
  }
}
process.stdout.write(JSON.stringify(figures));

/**
 * Returns the heap size of the chain's result in bytes, and the length of its log. A store would
 * keep the values; here they are dropped.
 */
async function kept(
  characters: number,
): Promise<{ readonly record: number; readonly log: number }> {
  let n = 0;
  const big = defineTool({
    name: "Big",
    description: "Returns much.",
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: () => `${n++} `.padEnd(characters, "some text, "),
  });
  // As with a store, only few values are in memory at a time.
  const executor = new ToolExecutor({ variables: new VariableSystem({ capacity: 4 }) });
  executor.registerToolGroup(defineToolGroup({ name: "bench", tools: [big] }));
  executor.toggleGroupEnabled("bench", true);
  const before = await heap();
  const { state, replayContent } = await runToolChain({
    executor,
    model: { id: "bench/calls", stream: callsOften(rounds) },
    contextMessages: [],
    maxRounds: rounds + 1,
    // With a journal, results are not held.
    journal: { commit: () => ({ status: "committed" }) },
  }).result;
  const record = (await heap()) - before;
  if (state.calls.length !== rounds) throw new Error("The chain did not run.");
  return { record, log: replayContent.length };
}

/** A model that retains no request. */
function callsOften(times: number): Model["stream"] {
  let asked = 0;
  const usage = { inputTokens: 1, outputTokens: 1 };
  return async function* (): AsyncGenerator<ModelEvent> {
    if (asked++ < times) {
      const call = { id: `call_${asked}`, name: "Big" };
      yield { type: "tool-call-start", ...call };
      yield { type: "tool-call-end", ...call, arguments: "{}" };
      yield { type: "finish", reason: "tool_calls", usage };
      return;
    }
    yield { type: "text-delta", text: "Done." };
    yield { type: "finish", reason: "stop", usage };
  };
}

async function heap(): Promise<number> {
  // The collector frees the last run's objects in steps, because finalizers and promises hold some
  // objects until the next turn.
  for (let turn = 0; turn < 5; turn += 1) {
    collect?.();
    await setImmediate();
  }
  collect?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}
