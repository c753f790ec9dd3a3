import { parentPort, Worker } from "node:worker_threads";
import { type Busy, runInSlot } from "@capstan/sandbox";

/** A job for a worker thread that stays for further jobs, because its libraries load slowly. */
export interface WarmJob {
  /** The worker's module; it answers with `answerJobs`. */
  readonly module: URL;
  readonly input: unknown;
  /** Time limit in milliseconds, from the start of the job. A worker that exceeds it is ended. */
  readonly timeoutMs: number;
  readonly heapMb: number;
  /** The user whose job it is. Users take turns. @default one user for all such jobs */
  readonly user?: string | undefined;
  readonly signal: AbortSignal;
}

/** The outcome of a job. */
export type WarmOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "timed_out" }
  | Busy;

/** A worker without jobs is ended after this time. */
const idleMs = 60_000;

/** The maximum number of workers of a module. Further jobs wait. */
const atOnce = 2;

interface Pool {
  /** Workers without a job, with the timers that end them. */
  readonly idle: Map<Worker, NodeJS.Timeout>;
}

const pools = new Map<string, Pool>();

/**
 * Runs a job in a worker of its module. Use it only for jobs that leave nothing behind in the
 * worker.
 *
 * @throws the signal's reason when it aborts
 */
export async function runInWarmWorker<T>(job: WarmJob): Promise<WarmOutcome<T>> {
  const { module, user, signal } = job;
  return runInSlot({ pool: module.href, atOnce, user, signal }, async () => {
    const pool = poolOf(module);
    const worker = takeWorker(pool, job);
    let isReusable = false;
    try {
      const outcome = await runIn<T>(worker, job);
      isReusable = outcome.status === "done";
      return outcome;
    } finally {
      if (isReusable) keepIdle(pool, worker);
      else await worker.terminate();
    }
  });
}

function poolOf({ href }: URL): Pool {
  const pool = pools.get(href) ?? { idle: new Map() };
  pools.set(href, pool);
  return pool;
}

function takeWorker({ idle }: Pool, { module, heapMb }: WarmJob): Worker {
  for (const [worker, timer] of idle) {
    clearTimeout(timer);
    idle.delete(worker);
    worker.ref();
    return worker;
  }
  const worker = new Worker(module, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: {},
    stdout: true,
    stderr: true,
  });
  worker.once("exit", () => clearTimeout(idle.get(worker)));
  worker.once("exit", () => idle.delete(worker));
  // Errors of a job are reported to its caller. Without a listener they would end the process.
  worker.on("error", () => {});
  return worker;
}

function keepIdle({ idle }: Pool, worker: Worker): void {
  worker.unref();
  idle.set(worker, setTimeout(() => void worker.terminate(), idleMs).unref());
}

async function runIn<T>(worker: Worker, job: WarmJob): Promise<WarmOutcome<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<WarmOutcome<T>>();
  const fail = (error: unknown) =>
    resolve({ status: "failed", message: error instanceof Error ? error.message : "it ended" });
  const timer = setTimeout(() => resolve({ status: "timed_out" }), job.timeoutMs);
  const abort = () => reject(job.signal.reason as Error);
  job.signal.addEventListener("abort", abort, { once: true });
  worker.once("message", resolve);
  worker.once("error", fail);
  worker.once("exit", fail);
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
    worker.postMessage(job.input);
    return await promise;
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener("abort", abort);
    worker.off("message", resolve).off("error", fail).off("exit", fail);
  }
}

/** Answers the jobs of a warm worker, one after another. */
export function answerJobs(work: (input: never) => unknown): void {
  parentPort?.on("message", (input: unknown) => {
    void answer(work, input).then((outcome) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
      parentPort?.postMessage(outcome);
    });
  });
}

async function answer(
  work: (input: never) => unknown,
  input: unknown,
): Promise<WarmOutcome<unknown>> {
  try {
    return { status: "done", value: await work(input as never) };
  } catch (error) {
    return { status: "failed", message: error instanceof Error ? error.message : "it failed" };
  }
}
