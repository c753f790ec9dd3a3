import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Busy, endWithServer, runInSlot } from "@capstan/sandbox";
import type { JobOutcome } from "./answer-jobs.ts";

/** A job for a process that is reused for later jobs, because its libraries load slowly. */
export interface WarmJob {
  /**
   * The module of the process; it answers with `answerJobs`. It must not import other packages of
   * Capstan, because the process does not have this process's export conditions.
   */
  readonly module: URL;
  readonly input: unknown;
  /** Time limit in milliseconds, from the start of the job. A process that exceeds it is killed. */
  readonly timeoutMs: number;
  readonly heapMb: number;
  /**
   * The owner of the job. The queue alternates between users. @default one user for all such jobs
   */
  readonly user?: string | undefined;
  readonly signal: AbortSignal;
}

/** The outcome of a job. */
export type WarmOutcome<T> = JobOutcome<T> | { readonly status: "timed_out" } | Busy;

/** A process without jobs ends after this time, in milliseconds. */
const idleMs = 60_000;

/** The maximum number of processes of a module. Further jobs are queued. */
const atOnce = 2;

interface Pool {
  /** Idle processes, with the timers that end them. */
  readonly idle: Map<ChildProcess, NodeJS.Timeout>;
}

const pools = new Map<string, Pool>();

/**
 * Runs a job in a process of its module. The process has no environment variables, and cannot write
 * files, start programs or use the network. Use it only for jobs that leave no state in the
 * process. A thread is not enough for untrusted input, because a single allocation far beyond the
 * heap limit of a thread ends the whole server.
 *
 * @throws the signal's reason when it aborts
 */
export async function runInWarmProcess<T>(job: WarmJob): Promise<WarmOutcome<T>> {
  const { module, user, signal } = job;
  return runInSlot({ pool: module.href, atOnce, user, signal }, async () => {
    const pool = poolOf(module);
    const child = takeProcess(pool, job);
    let isReusable = false;
    try {
      const outcome = await runIn<T>(child, job);
      isReusable = outcome.status === "done";
      return outcome;
    } finally {
      if (isReusable) keepIdle(pool, child);
      else await kill(child);
    }
  });
}

function poolOf({ href }: URL): Pool {
  const pool = pools.get(href) ?? { idle: new Map() };
  pools.set(href, pool);
  return pool;
}

function takeProcess({ idle }: Pool, { module, heapMb }: WarmJob): ChildProcess {
  for (const [child, timer] of idle) {
    clearTimeout(timer);
    idle.delete(child);
    child.ref();
    child.channel?.ref();
    return child;
  }
  const child = fork(fileURLToPath(module), {
    serialization: "advanced",
    env: process.env["TZ"] === undefined ? {} : { TZ: process.env["TZ"] },
    // The native library that draws charts needs addons.
    execArgv: [
      "--permission",
      "--allow-fs-read=*",
      "--allow-addons",
      "--no-warnings",
      `--max-old-space-size=${heapMb}`,
    ],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  endWithServer(child);
  child.once("exit", () => clearTimeout(idle.get(child)));
  child.once("exit", () => idle.delete(child));
  // The caller already gets the error of the job. Without a listener, it would end the server.
  child.on("error", () => {});
  return child;
}

function keepIdle({ idle }: Pool, child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  idle.set(child, setTimeout(() => void child.kill("SIGKILL"), idleMs).unref());
}

/** Ends a process. Its memory is free when the promise settles. */
async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit").catch(() => {});
  if (child.kill("SIGKILL")) await exited;
}

async function runIn<T>(child: ChildProcess, job: WarmJob): Promise<WarmOutcome<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<WarmOutcome<T>>();
  const answer = (outcome: unknown) => resolve(outcome as JobOutcome<T>);
  const fail = () =>
    resolve({ status: "failed", message: "it needed too much memory, or crashed" });
  const timer = setTimeout(() => resolve({ status: "timed_out" }), job.timeoutMs);
  const abort = () => reject(job.signal.reason as Error);
  job.signal.addEventListener("abort", abort, { once: true });
  child.once("message", answer);
  child.once("error", fail);
  child.once("exit", fail);
  try {
    // If the process ends before it has read its input, "exit" reports it.
    child.send({ input: job.input }, () => {});
    return await promise;
  } finally {
    clearTimeout(timer);
    job.signal.removeEventListener("abort", abort);
    child.off("message", answer).off("error", fail).off("exit", fail);
  }
}
