// Measures what storing adds to a delta:
// node bench/runs/streamed-deltas.ts SYNC_DELAY_MS REPETITIONS [STREAMS,…]
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelEvent } from "@capstan/core";
import { type Figure, measuredFigure, mergeTurns } from "../figure.ts";
import { begin, createRuns, requestOf } from "@capstan/server/testing";
import { sqliteStore } from "./bench-store.ts";

const [syncDelay = "0", repetitions = "1", sizes = "1,50,500"] = process.argv.slice(2);
const syncDelayMs = Number(syncDelay);
/** Time between two deltas of a stream, in ms: 50 deltas per second. */
const everyMs = 20;
const deltas = 250;
/**
 * The first second and the last half second are not counted, because all streams start and end at
 * the same time.
 */
const warmUp = 50;
const tail = 25;

/** Each delta contains its time. Streams are spread over the time between two deltas. */
function pacedModel(streams: number): Model {
  let begun = 0;
  return {
    id: "bench/paced",
    async *stream(): AsyncGenerator<ModelEvent> {
      const first = performance.now() + ((begun++ % streams) * everyMs) / streams;
      for (let n = 0; n < deltas; n++) {
        await sleep(Math.max(0, first + n * everyMs - performance.now()));
        yield { type: "text-delta", text: ` ${performance.now()}` };
      }
      yield { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

async function measure(streams: number): Promise<readonly Figure[]> {
  const bench = await sqliteStore(syncDelayMs);
  const runs = createRuns({ store: bench.store, model: pacedModel(streams) });
  const waits: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  async function one(): Promise<void> {
    const { id } = await begin(runs, requestOf("Tell me."));
    let seen = 0;
    const isCounted = () => seen > warmUp && seen <= deltas - tail;
    await new Promise<void>((resolve) => {
      const unsubscribe = bench.store.subscribe(id, ({ events, closed }) => {
        const now = performance.now();
        for (const event of events)
          if (event.type === "item.delta") {
            seen += 1;
            if (isCounted()) waits.push(now - Number(event.delta));
          }
        if (!closed) return;
        unsubscribe();
        resolve();
      });
    });
  }
  const all = Promise.all(Array.from({ length: streams }, one));
  // The simultaneous start of all streams is not measured.
  await sleep(warmUp * everyMs);
  loop.enable();
  await all;
  loop.disable();
  await runs.close(0);
  await bench.close();
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const disk = syncDelayMs === 0 ? "" : `, a disk slower by ${syncDelayMs} ms`;
  const figure = (what: string, value: number): Figure => {
    const name = `delta, ${streams} ${streams === 1 ? "stream" : "streams"}${disk}: ${what}`;
    return measuredFigure({ case: name, subject: "sqlite", unit: "ms" }, [value]);
  };
  return [
    figure("p50", at(0.5)),
    figure("p99", at(0.99)),
    figure("longest event-loop gap", loop.max / 1e6),
  ];
}

const turns: (readonly Figure[])[] = [];
for (let turn = 0; turn < Number(repetitions); turn++)
  for (const streams of sizes.split(",").map(Number)) turns.push(await measure(streams));
process.stdout.write(JSON.stringify(mergeTurns(turns)));
