// Measures whole runs that a queue hands to another node: node bench/runs/queued-runs.ts REPETITIONS
import pg from "pg";
import { followEvents, type Store } from "@capstan/store";
import { openPostgresStore } from "@capstan/store/postgres";
import { owner } from "@capstan/store/testing";
import {
  begin,
  createRuns,
  defaultServerLimits,
  openBullQueue,
  type QueueConsumer,
  requestOf,
  type RunService,
  startRedis,
} from "@capstan/server/testing";
import type { Figure } from "../figure.ts";
import { postgresDatabase } from "./bench-store.ts";
import { countedWork } from "./counted-work.ts";
import { measureRuns } from "./measure-runs.ts";
import { scriptedModel } from "./scripted-model.ts";

const [repetitions = "5"] = process.argv.slice(2);
const databaseUrl = await postgresDatabase();

const { tools, many } = countedWork();

/**
 * The database does this by itself within a minute. Without it statements are planned for an empty
 * database.
 */
async function countRows(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("ANALYZE");
  await client.end();
}

async function measure(on: Store, runs: RunService): Promise<readonly Figure[]> {
  /**
   * Executes a whole run and follows its events as a client of this node: it requests approval, is
   * answered, and runs to its end.
   */
  async function one(): Promise<void> {
    const { id } = await begin(runs, requestOf("Do it."));
    let question = "";
    let ended = "";
    for await (const event of followEvents({ store: on, owner, runId: id })) {
      if (event.type === "approval.requested") question = event.approval.id;
      if (event.type === "chain.waiting")
        await runs.answer(owner, question, { decision: "allow" }, id);
      if (event.type === "chain.ended") ended = event.status;
    }
    if (ended !== "completed") throw new Error(`A run ended as "${ended}".`);
  }

  await many(200, 32, one);
  await countRows();
  const figures = await measureRuns({
    subject: "queue",
    repetitions: Number(repetitions),
    many: (count, atOnce) => many(count, atOnce, one),
  });
  await runs.close(0);
  return figures;
}

/**
 * Every run passes the queue: one node has no slots and starts and answers the runs, and the other
 * node executes them.
 */
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
      hasFreeSlot: () => dispatcher.hasFreeSlot,
      freeSlot: (signal) => dispatcher.freeSlot(signal),
      claim: (run) => dispatcher.onDelivery(run),
      wake: async () => {},
    };
    const queue = openBullQueue({ url: redis.url, consumer, log });
    dispatcher.useQueue(queue);
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
