import {
  defineTool,
  defineToolGroup,
  type Model,
  type ModelEvent,
  runToolChain,
  ToolExecutor,
  ToolOutputChannel,
} from "@capstan/core";
import { setTimeout as pause } from "node:timers/promises";
import { type Figure, measuredFigure } from "../figure.ts";

const calls = 1_000;
/** Each call writes ten pieces of output in 0.5 to 1 s. */
const pieces = 10;
const slowestMs = 1_000;

export async function figures(repetitions: number): Promise<readonly Figure[]> {
  await once();
  const ratios: number[] = [];
  const memory: number[] = [];
  for (let n = 0; n < repetitions; n++) {
    const { slowest, whole, heap } = await once();
    ratios.push(whole / slowest);
    memory.push(heap / 2 ** 20);
  }
  const subject = "capstan";
  return [
    measuredFigure({ case: "1,000 calls at once ÷ slowest call", subject, unit: "×" }, ratios),
    measuredFigure({ case: "1,000 calls at once: peak memory", subject, unit: "MiB" }, memory),
  ];
}

async function once() {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let slowest = 0;
  let heap = 0;
  const speak = defineTool({
    name: "Speak",
    description: "Speaks.",
    parameters: { type: "object", properties: { ms: { type: "integer" } } },
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: async ({ ms }, { output }) => {
      const started = performance.now();
      for (let n = 0; n < pieces; n++) {
        await pause(Number(ms) / pieces);
        output.write(`${"word ".repeat(20)}\n`);
      }
      slowest = Math.max(slowest, performance.now() - started);
      heap = Math.max(heap, process.memoryUsage().heapUsed - before);
      return "said";
    },
  });
  const executor = new ToolExecutor({ limits: { callsAtOnce: calls } });
  executor.registerToolGroup(defineToolGroup({ name: "bench", tools: [speak] }));
  executor.toggleGroupEnabled("bench", true);
  const channel = new ToolOutputChannel();
  const started = performance.now();
  const chain = runToolChain({
    executor,
    model: scriptedModel(),
    contextMessages: [],
    maxCallsPerRound: calls,
    onEvent: (event) => channel.push(event),
  });
  let read = 0;
  for await (const event of channel.read())
    if (event.type === "output.text") read += event.text.length;
  const { status } = await chain.result;
  const whole = performance.now() - started;
  if (status !== "completed" || read !== calls * pieces * 101)
    throw new Error(`The chain ended as ${status}, and ${read} characters were read.`);
  return { slowest, whole, heap };
}

function scriptedModel(): Model {
  let asked = false;
  return {
    id: "bench/scripted",
    stream: () => {
      const first = !asked;
      asked = true;
      return first ? toolCalls() : finalText();
    },
  };
}

const usage = { inputTokens: 1, outputTokens: 1 };

async function* toolCalls(): AsyncGenerator<ModelEvent> {
  for (let n = 0; n < calls; n++) {
    const id = `call_${n}`;
    const ms = slowestMs / 2 + ((n * 7919) % (slowestMs / 2 + 1));
    yield { type: "tool-call-end", id, name: "Speak", arguments: JSON.stringify({ ms }) };
  }
  yield { type: "finish", reason: "tool_calls", usage };
}

async function* finalText(): AsyncGenerator<ModelEvent> {
  yield { type: "text-delta", text: "done" };
  yield { type: "finish", reason: "stop", usage };
}
