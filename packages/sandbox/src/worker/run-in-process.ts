import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { endWithServer } from "./end-with-server.ts";

/** A job for a process. */
export interface ProcessJob {
  /**
   * The module that the process runs; it reads one message `{ input }` and sends one
   * message with the result. It must not import other
   * packages of Capstan, because the process does not have this process's export conditions.
   */
  readonly module: URL;
  readonly input: unknown;
  /** Time limit in milliseconds. */
  readonly timeoutMs: number;
  /** Heap limit in megabytes. */
  readonly heapMb: number;
  /** Limit of the resident memory in megabytes, measured 20 times a second on Linux. */
  readonly memoryMb: number;
  readonly signal: AbortSignal;
}

/** The outcome of a job in a process. */
export type ProcessOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly message: string }
  | { readonly status: "timed_out" };

const watchMs = 50;

/**
 * Runs a job on untrusted input in its own process, which is killed at the limits of time and
 * memory. The process has no environment variables, and cannot write files, start programs or use
 * the network.
 *
 * A worker thread is not enough for such input: a single allocation of more than 16 MB beyond the
 * heap limit of a thread ends the whole server.
 *
 * @throws the signal's reason when it aborts
 */
export async function runInProcess<T>(job: ProcessJob): Promise<ProcessOutcome<T>> {
  const { signal } = job;
  signal.throwIfAborted();
  const child = fork(fileURLToPath(job.module), {
    serialization: "advanced",
    env: {},
    execArgv: ["--permission", "--allow-fs-read=*", `--max-old-space-size=${job.heapMb}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  endWithServer(child);
  const exited = once(child, "exit").catch(() => {});
  const { promise, resolve, reject } = Promise.withResolvers<ProcessOutcome<T>>();
  const fail = (message: string) => resolve({ status: "failed", message });
  const timer = setTimeout(() => resolve({ status: "timed_out" }), job.timeoutMs);
  const watch = setInterval(() => {
    void memoryOf(child).then((megabytes) => {
      if (megabytes > job.memoryMb) fail(`it needed more than ${job.memoryMb} MB of memory`);
    });
  }, watchMs);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  child.once("message", (value) => resolve({ status: "done", value: value as T }));
  child.once("error", reject);
  child.once("exit", () => fail("it needed too much memory, or crashed"));
  // If the process ends before it has read its input, "exit" reports it.
  child.send({ input: job.input }, () => {});
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener("abort", abort);
    // Wait for the exit, because only then the memory is free for the next process.
    if (child.kill("SIGKILL")) await exited;
  }
}

/** Returns the memory of a process in megabytes, or 0 if the system does not report it. */
async function memoryOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}
