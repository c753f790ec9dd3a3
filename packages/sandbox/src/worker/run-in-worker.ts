import { Worker } from "node:worker_threads";
import { errorMessage } from "@capstan/core/host";
import { type Busy, runInSlot } from "./run-in-slot.ts";

export interface WorkerJob {
  /** The worker's module; it answers with `answerWorker`. */
  readonly module: URL;
  readonly input: unknown;
  /** Time limit in milliseconds, from the start of its worker. */
  readonly timeoutMs: number;
  /** Heap limit in megabytes. If the job exceeds it, only its worker is ended. @default 512 */
  readonly heapMb?: number;
  /**
   * Limit in megabytes for the heap and for memory outside of it, such as buffers. It is measured
   * ten times a second. @default no limit
   */
  readonly memoryMb?: number;
  /**
   * Maximum number of workers of this module at the same time, for all callers. Further jobs wait.
   * @default no limit
   */
  readonly atOnce?: number;
  /** The user of the job. Users take turns. @default one user for all such jobs */
  readonly user?: string | undefined;
  readonly signal: AbortSignal;
}

export type WorkerOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "timed_out" }
  | Busy;

/** Returns the URL of a module next to the caller, in source and when built. */
export function workerModule(name: string, importer: string): URL {
  return new URL(`./${name}.${importer.endsWith(".ts") ? "ts" : "js"}`, importer);
}

/**
 * Runs a job that can be slow or endless in its own thread, so that it does not block the event
 * loop and can always be stopped.
 *
 * @throws the signal's reason when it aborts.
 */
export async function runInWorker<T>(job: WorkerJob): Promise<WorkerOutcome<T>> {
  job.signal.throwIfAborted();
  const { module, atOnce, user, signal } = job;
  if (atOnce === undefined) return run(job);
  return runInSlot({ pool: module.href, atOnce, user, signal }, () => run<T>(job));
}

async function run<T>(job: WorkerJob): Promise<WorkerOutcome<T>> {
  const worker = new Worker(job.module, {
    workerData: job.input,
    resourceLimits: { maxOldGenerationSizeMb: job.heapMb ?? 512 },
    stdout: true,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome<T>>();
  const timer = setTimeout(() => resolve({ status: "timed_out" }), job.timeoutMs);
  const abort = () => reject(job.signal.reason as Error);
  job.signal.addEventListener("abort", abort, { once: true });
  const watch = watchMemory(worker, job.memoryMb, () =>
    resolve({ status: "failed", message: `it needed more than ${job.memoryMb} MB of memory` }),
  );
  worker.once("message", (value: T) => resolve({ status: "done", value }));
  worker.once("error", (error) => resolve({ status: "failed", message: errorMessage(error) }));
  worker.once("exit", () => resolve({ status: "failed", message: "it ended without an answer" }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    job.signal.removeEventListener("abort", abort);
    // Awaited, because its memory is free for the next worker only after it has ended.
    await worker.terminate();
  }
}

const watchMs = 100;
const megabyte = 1024 * 1024;

/** Calls `exceeded` when a worker uses more memory than allowed, also while it runs a long loop. */
function watchMemory(
  worker: Worker,
  memoryMb: number | undefined,
  exceeded: () => void,
): NodeJS.Timeout | undefined {
  if (memoryMb === undefined) return undefined;
  return setInterval(() => {
    worker
      .getHeapStatistics()
      .then(({ used_heap_size: heap, external_memory: external }) => {
        if (heap + external > memoryMb * megabyte) exceeded();
      })
      // The worker has ended.
      .catch(() => {});
  }, watchMs);
}
