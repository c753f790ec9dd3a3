import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { RunRef } from "@capstan/store";
import { queueName } from "../runs/dispatch/bull-queue.ts";

/** Adds jobs to the queue of the nodes, without removing duplicates. */
export interface JobSender extends AsyncDisposable {
  /** Adds another job for this run, as in a repeated delivery. */
  send(run: RunRef): Promise<void>;
}

/**
 * Connects to a server's job queue, so that a test can deliver jobs again.
 *
 * @param url of Redis, `redis://host:port`
 */
export function createJobSender(url: string): JobSender {
  const client = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue(queueName, { connection: client });
  // The test can have stopped Redis on purpose.
  client.on("error", () => {});
  queue.on("error", () => {});
  return {
    send: async (run) => {
      await queue.add("run", { run }, { removeOnComplete: true, removeOnFail: true });
    },
    async [Symbol.asyncDispose]() {
      await queue.close();
      client.disconnect();
    },
  };
}
