import { errorMessage } from "@capstan/core/host";
import type { RunRef } from "@capstan/store";
import { Job, Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { QueueConsumer, RunQueue } from "./run-queue.ts";

/** One queue for all nodes of a database: give each Capstan a Redis database of its own. */
export const queueName = "capstan-runs";

/**
 * Milliseconds after which a dead node's job is delivered again. It is short, because a job is done
 * as soon as its run is claimed. From then on the node's heartbeat is the lease of the run.
 */
const lease = { lockDuration: 5_000, stalledInterval: 2_000, maxStalledCount: 1_000 };

/** Ended jobs are removed: the store has the record. */
const forgotten = { removeOnComplete: true, removeOnFail: true } as const;

type JobData = { readonly run: RunRef } | { readonly wake: true };

type Jobs = Parameters<Queue<JobData>["addBulk"]>[0];

/**
 * A job for a queued run only says that some runs wait; a job for a run of a silent node names that
 * run.
 */
const isSign = ({ data }: Job<JobData>) => "run" in data && data.run.status === "queued";

type Next = readonly [json?: Parameters<typeof Job.fromJSON>[1] | null, id?: string];

/**
 * Returns the next waiting job from the result of completing a job, if there is one. BullMQ
 * declares it as `any[]`.
 */
const nextOf = (brought: readonly unknown[] | void): Next => (brought ?? []) as Next;

export interface BullQueueOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` */
  readonly url: string;
  readonly consumer: QueueConsumer;
  readonly log: (line: string) => void;
}

/**
 * Opens the queue on Redis, with BullMQ. A job names a run and the epoch in which it waits. A node
 * claims the run from that epoch, so a repeated or late job has no effect.
 */
export function openBullQueue({ url, consumer, log }: BullQueueOptions): RunQueue {
  const sender = openRedis({
    url,
    onChange: (isUp, cause) =>
      log(
        isUp
          ? "Redis is back: its queue distributes runs again."
          : `Redis cannot be reached (${cause}). Runs continue: each node claims queued runs from the database.`,
      ),
  });
  const receiver = openRedis({ url, waits: true });
  const queue = new Queue<JobData>(queueName, { connection: sender.client });
  const worker = new Worker<JobData>(queueName, null, { connection: receiver.client, ...lease });
  // The connection reports its own errors, once.
  queue.on("error", () => {});
  worker.on("error", () => {});
  const stopped = new AbortController();
  const under = new Set<Promise<void>>();

  /**
   * @returns the next job, if one waits and a slot is free. Fetching it with the completion of the
   * last job saves a request
   */
  async function handle(job: Job<JobData>, token: string): Promise<Job<JobData> | undefined> {
    try {
      const { data } = job;
      await ("run" in data ? consumer.claim(data.run) : consumer.wake());
    } catch (thrown) {
      log(`A job of the queue failed; the store still has its run: ${errorMessage(thrown)}`);
    }
    const asksForNext = isSign(job) && !stopped.signal.aborted && consumer.hasFreeSlot();
    // If this is lost, the job is delivered again and finds that its run is claimed.
    const [json, id] = await job
      .moveToCompleted(undefined, token, asksForNext)
      .then(nextOf, (): Next => []);
    return json ? Job.fromJSON(worker, json, id) : undefined;
  }

  async function handleAll(first: Job<JobData>, token: string): Promise<void> {
    let job: Job<JobData> | undefined = first;
    while (job !== undefined) job = await handle(job, token);
  }

  /**
   * Fetches one job at a time, and only if a slot is free, so that other nodes can take the
   * remaining jobs.
   */
  async function pull(): Promise<void> {
    // Before the connection is open, BullMQ's calls would wait for it and could not be stopped.
    await receiver.up(stopped.signal);
    if (!stopped.signal.aborted) await worker.startStalledCheckTimer().catch(() => {});
    for (let n = 0; !stopped.signal.aborted; n++) {
      await consumer.freeSlot(stopped.signal);
      if (stopped.signal.aborted) return;
      const token = `${process.pid}-${n}`;
      const job = await worker.getNextJob(token).catch(() => undefined);
      if (job === undefined) {
        if (!receiver.isUp) await receiver.up(stopped.signal);
        continue;
      }
      const work = handleAll(job, token).finally(() => under.delete(work));
      under.add(work);
      // A scan claims all queued runs, so most jobs that arrive during it need no work.
      if (isSign(job)) await work;
    }
  }
  pull().catch((thrown: unknown) =>
    log(`This node no longer receives jobs from the queue: ${errorMessage(thrown)}`),
  );

  let offered: Jobs = [];

  /** Sends the runs that were offered in one turn of the event loop in one batch. */
  function sendOffered(): void {
    const jobs = offered;
    offered = [];
    if (jobs.length > 0) add(jobs);
  }

  /** Not awaited: if Redis is gone, the sweep finds the runs of these jobs. */
  function add(jobs: Jobs): boolean {
    if (!sender.isUp || stopped.signal.aborted) return false;
    queue.addBulk(jobs).catch(() => {});
    return true;
  }

  return {
    get isUp() {
      return sender.isUp;
    },
    offer: (runs) => {
      const jobs = runs.map(({ id, owner, status, epoch }) => {
        const opts = { ...forgotten, jobId: `${id}-${epoch}` };
        return { name: "run", data: { run: { id, owner, status, epoch } }, opts };
      });
      if (jobs.length === 0 || !sender.isUp) return;
      if (offered.length === 0) setImmediate(sendOffered);
      offered = offered.concat(jobs);
    },
    wakeAt: (at) => {
      // BullMQ waits by the time of day of each node. A changed system time makes the job early or
      // late: an early check finds nothing, and `watchDeadlines` checks itself if the job is late.
      const delay = Math.max(0, at - Date.now());
      const opts = { ...forgotten, jobId: `wake-${at}`, delay };
      return add([{ name: "wake", data: { wake: true }, opts }]);
    },
    close: async () => {
      sendOffered();
      stopped.abort();
      await Promise.all(under);
      // A fetch from a lost Redis never returns, so it is abandoned with its connection.
      await worker.close(true).catch(() => {});
      receiver.close();
      await queue.close().catch(() => {});
      sender.close();
    },
  };
}

export interface RedisConnection {
  readonly client: Redis;
  readonly isUp: boolean;
  /** Resolves when the connection is up or the signal is aborted. */
  up(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The longest pause between two tries to connect. */
const longestPauseMs = 2_000;

/**
 * Opens a connection to Redis that reconnects until it is closed. Commands without a connection
 * fail immediately, so that none accumulate.
 */
export function openRedis(options: {
  readonly url: string;
  /** Whether commands wait for Redis instead. @default false */
  readonly waits?: boolean;
  /** Called once when Redis is lost, and once when it is back. */
  readonly onChange?: (isUp: boolean, cause: string) => void;
}): RedisConnection {
  const { url, waits = false, onChange } = options;
  const client = new Redis(url, {
    maxRetriesPerRequest: null,
    enableOfflineQueue: waits,
    retryStrategy: (times) => Math.min(times * 100, longestPauseMs),
  });
  let isUp = false;
  let reported: boolean | undefined;
  let cause = "the connection has ended";
  const report = (up: boolean) => {
    isUp = up;
    if (reported === up) return;
    // The first connection is not reported.
    if (reported !== undefined || !up) onChange?.(up, cause);
    reported = up;
  };
  client.on("ready", () => report(true));
  client.on("error", (error: Error) => {
    cause = error.message;
    if (!isUp) report(false);
  });
  client.on("close", () => report(false));
  return {
    client,
    get isUp() {
      return isUp;
    },
    up: (signal) =>
      new Promise((resolve) => {
        if (isUp || signal.aborted) return resolve();
        const done = () => {
          client.off("ready", done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        client.on("ready", done);
        signal.addEventListener("abort", done);
      }),
    close: () => {
      // A disconnection during close is not reported.
      reported = false;
      client.disconnect();
    },
  };
}
