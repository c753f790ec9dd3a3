import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { RunRef } from "@capstan/store";
import { queueName } from "../runs/dispatch/bull-queue.ts";

/** Puts jobs into the queue of the nodes, whatever is there already. */
export interface JobSender extends AsyncDisposable {
  /** One more job for this run, as if it was delivered again. */
  send(run: RunRef): Promise<void>;
}

export function createJobSender(url: string): JobSender {
  const client = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue(queueName, { connection: client });
  // Redis may be gone meanwhile, on purpose.
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
