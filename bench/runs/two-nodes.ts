// Measures two nodes on one PostgreSQL database: node bench/runs/two-nodes.ts REPETITIONS
import { fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { followEvents, type Store } from "@capstan/store";
import { openPostgresStore } from "@capstan/store/postgres";
import { createRun, owner } from "@capstan/store/testing";
import { type Figure, measuredFigure } from "../figure.ts";
import { postgresDatabase } from "./bench-store.ts";

const [repetitions = "5"] = process.argv.slice(2);
const connectionString = await postgresDatabase();
const nodeProcess = fileURLToPath(new URL("node-process.ts", import.meta.url));
const subject = "postgres";
const events = 300;
const runsKilled = 20;

/** Measures the time from the write of an event until a reader on another node receives it. */
async function toAnotherNode(here: Store, there: Store): Promise<readonly number[]> {
  await createRun(here, { id: "followed" });
  const waits: number[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    const query = { store: there, owner, runId: "followed", signal: stop.signal };
    for await (const event of followEvents(query))
      if (event.type === "call.event") waits.push(performance.now() - Number(event.data));
  })();
  await sleep(100);
  for (let n = 0; n < events; n++) {
    const event = {
      type: "call.event",
      callId: "c",
      name: "now",
      data: performance.now(),
    } as const;
    const writes = [{ type: "event", event }] as const;
    await here.write([{ type: "journal", runId: "followed", epoch: 1, writes }]);
    await sleep(5);
  }
  await sleep(200);
  stop.abort();
  await reading;
  if (waits.length !== events) throw new Error(`${waits.length} of ${events} events were read.`);
  return waits;
}

/** Starts a node with this number of running runs. */
async function startNode(runs: number) {
  const child = fork(nodeProcess, [connectionString, String(runs)]);
  const ids = await new Promise<readonly string[]>((resolve, reject) => {
    child.once("message", (message) => resolve(message as readonly string[]));
    child.once("exit", (code) => reject(new Error(`A node ended with code ${code}.`)));
  });
  return { child, ids };
}

/** The time from a node's end until all of its runs have been taken over, in ms. */
async function takeOver(watcher: Store): Promise<number> {
  const survivor = await startNode(0);
  const { child, ids } = await startNode(runsKilled);
  const stop = new AbortController();
  const goesOn = ids.map(async (runId) => {
    let resumed = false;
    for await (const event of followEvents({ store: watcher, owner, runId, signal: stop.signal })) {
      resumed ||= event.type === "chain.resumed";
      // The run has resumed when its model sends a delta.
      if (resumed && event.type === "item.delta") return;
    }
  });
  await sleep(1_000);
  child.removeAllListeners("exit");
  child.kill("SIGKILL");
  const killed = performance.now();
  await Promise.all(goesOn);
  const ms = performance.now() - killed;
  stop.abort();
  survivor.child.removeAllListeners("exit");
  survivor.child.kill("SIGKILL");
  return ms;
}

const here = await openPostgresStore({ connectionString });
const there = await openPostgresStore({ connectionString });
const waits = await toAnotherNode(here, there);
await there.close();
const times: number[] = [];
for (let n = 0; n < Number(repetitions); n++) times.push(await takeOver(here));
await here.close();
const figures: readonly Figure[] = [
  measuredFigure({ case: "from store to a reader on another node", subject, unit: "ms" }, waits),
  measuredFigure(
    { case: `takeover of ${runsKilled} runs after a node is killed`, subject, unit: "s" },
    times.map((ms) => ms / 1_000),
  ),
];
process.stdout.write(JSON.stringify(figures));
