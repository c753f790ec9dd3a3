import { Worker } from "node:worker_threads";
import { errorMessage } from "@capstan/core/host";

export interface WorkerJob {
  /** The worker's module; it answers with `answerWorker`. */
  readonly module: URL;
  readonly input: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type WorkerOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "timed_out" };

/** Megabytes of heap a job may fill before its worker, and nothing else, is ended. */
const heapLimitMb = 512;

/** The URL of a module beside this one's caller, in source and when built. */
export function workerModule(name: string, importer: string): URL {
  return new URL(`./${name}.${importer.endsWith(".ts") ? "ts" : "js"}`, importer);
}

/**
 * Runs work that may take long or never end in a thread of its own, so that the event loop goes
 * on, and the work can be stopped whatever it is doing.
 *
 * @throws the signal's reason when it aborts.
 */
export async function runInWorker<T>(job: WorkerJob): Promise<WorkerOutcome<T>> {
  job.signal.throwIfAborted();
  const worker = new Worker(job.module, {
    workerData: job.input,
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
    stdout: true,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<WorkerOutcome<T>>();
  const timer = setTimeout(() => resolve({ status: "timed_out" }), job.timeoutMs);
  const abort = () => reject(job.signal.reason as Error);
  job.signal.addEventListener("abort", abort, { once: true });
  worker.once("message", (value: T) => resolve({ status: "done", value }));
  worker.once("error", (error) => resolve({ status: "failed", message: errorMessage(error) }));
  worker.once("exit", () => resolve({ status: "failed", message: "it ended without an answer" }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener("abort", abort);
    void worker.terminate();
  }
}
