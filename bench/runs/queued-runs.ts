// Measures whole runs that a queue hands to another node: node bench/runs/queued-runs.ts REPETITIONS
// oxlint-disable no-restricted-imports -- a service and a database are started as the server's own tests start them
import pg from "pg";
import { openBullQueue } from "../../packages/server/src/dispatch/bull-queue.ts";
import type { QueueConsumer } from "../../packages/server/src/dispatch/run-queue.ts";
import { startRedis } from "../../packages/server/src/dispatch/testing/redis-server.ts";
import { followEvents } from "../../packages/server/src/journal/follow-events.ts";
import { openPostgresStore } from "../../packages/server/src/journal/postgres/open-postgres-store.ts";
import type { Store } from "../../packages/server/src/journal/store.ts";
import { testServer } from "../../packages/server/src/journal/testing/postgres-server.ts";
import { owner } from "../../packages/server/src/journal/testing/store-fixtures.ts";
import type { RunService } from "../../packages/server/src/run/run-service.ts";
import { defaultServerLimits } from "../../packages/server/src/run/server-limits.ts";
import {
  asking,
  begin,
  createRuns,
  requestOf,
  tool,
} from "../../packages/server/src/run/testing/run-fixtures.ts";
import { type Figure, median } from "../figure.ts";
import { manyAtOnce } from "./many-at-once.ts";
import { callsARound, rounds, scriptedModel } from "./scripted-model.ts";

const [repetitions = "5"] = process.argv.slice(2);
const databaseUrl = await (await testServer()).newDatabase();

let executed = 0;
const work = () => {
  executed += 1;
  return "The result of some work, as a line of text.";
};

const tools = [tool("Work", work), asking("Ask", work)];

/** As the database does by itself within a minute: without it statements are planned for an empty one. */
async function countRows(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("ANALYZE");
  await client.end();
}

async function measure(on: Store, runs: RunService): Promise<readonly Figure[]> {
  /** A whole run, as a client of this node sees it in its events: it asks, is answered, and goes on to its end. */
  async function one(): Promise<void> {
    const { id } = await begin(runs, requestOf("Do it."));
    let question = "";
    let ended = "";
    for await (const event of followEvents({ store: on, owner, runId: id })) {
      if (event.type === "approval.requested") question = event.approval.id;
      if (event.type === "chain.waiting") await runs.answer(owner, question, { decision: "allow" });
      if (event.type === "chain.ended") ended = event.status;
    }
    if (ended !== "completed") throw new Error(`A run ended as "${ended}".`);
  }

  async function many(count: number, atOnce: number): Promise<number> {
    executed = 0;
    const ms = await manyAtOnce(count, atOnce, one);
    if (executed !== count * rounds * callsARound) throw new Error(`${executed} calls were run.`);
    return ms;
  }

  await many(200, 32);
  await countRows();
  const together: number[] = [];
  const alone: number[] = [];
  /** Milliseconds of this process, in all its threads. */
  const processor: number[] = [];
  for (let n = 0; n < Number(repetitions); n++) {
    const before = process.cpuUsage();
    together.push((200 * 1_000) / (await many(200, 32)));
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1_000 / 200);
    alone.push((await many(20, 1)) / 20);
  }
  await runs.close(0);
  const subject = "queue";
  return [
    { case: "32 runs at once", subject, value: median(together), unit: "runs/s" },
    { case: "processor a run", subject, value: median(processor), unit: "ms" },
    { case: "a run alone", subject, value: median(alone), unit: "ms" },
  ];
}

/** Every run through the queue: one node begins and answers them and has no place, the other has them all. */
async function measureQueued(): Promise<readonly Figure[]> {
  await using redis = await startRedis();
  const front = await openPostgresStore({ connectionString: databaseUrl });
  const back = await openPostgresStore({ connectionString: databaseUrl });
  const none = { ...defaultServerLimits, runsAtOnce: 0 };
  const asked = createRuns({ store: front, model: scriptedModel, tools, limits: none });
  const worker = createRuns({ store: back, model: scriptedModel, tools });
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const queues = [asked, worker].map(({ dispatcher }) => {
    const consumer: QueueConsumer = {
      hasRoom: () => dispatcher.hasRoom,
      room: (signal) => dispatcher.room(signal),
      take: (run) => dispatcher.handed(run),
      wake: async () => {},
    };
    const queue = openBullQueue({ url: redis.url, consumer, log });
    dispatcher.offerTo(queue);
    return queue;
  });
  while (!queues.every(({ isUp }) => isUp)) await new Promise((resolve) => setTimeout(resolve, 10));
  const figures = await measure(front, asked);
  await Promise.all(queues.map((queue) => queue.close()));
  await worker.close(0);
  await Promise.all([front.close(), back.close()]);
  return figures;
}

process.stdout.write(JSON.stringify(await measureQueued()));
