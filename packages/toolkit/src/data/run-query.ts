import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { endWithServer, runInSlot, workerModule } from "@capstan/sandbox";
import { type DataAnswer, DataProblem, tooBusy } from "./data-problem.ts";
import type { QueryJob, QueryResult } from "./query-tables.ts";

const heapMb = 512;
const watchMs = 50;
const atOnce = 2;

/** The limits of a query. Tests set lower ones. */
export interface QueryLimits {
  readonly timeoutMs: number;
  /** The limit for the process's resident memory, which is measured 20 times a second on Linux. */
  readonly memoryMb: number;
}

const defaultLimits: QueryLimits = { timeoutMs: 15_000, memoryMb: 1_024 };

/**
 * Runs a query in its own process, which has no environment variables, and cannot write files or
 * start programs. The process is killed at the limits of time and memory. At most two queries run
 * at the same time.
 *
 * @param read reads the tables when the query has a slot
 * @throws the signal's reason when it aborts
 * @throws DataProblem if it exceeds a limit
 */
export async function runQuery(
  read: () => Promise<QueryJob>,
  {
    user,
    signal,
    limits = defaultLimits,
  }: {
    readonly user: string;
    readonly signal: AbortSignal;
    readonly limits?: QueryLimits;
  },
): Promise<DataAnswer<QueryResult>> {
  const outcome = await runInSlot({ pool: "TableQuery", atOnce, user, signal }, async () =>
    runNow(await read(), signal, limits),
  );
  if (outcome.status === "busy") throw tooBusy();
  return outcome;
}

async function runNow(
  job: QueryJob,
  signal: AbortSignal,
  { timeoutMs, memoryMb }: QueryLimits,
): Promise<DataAnswer<QueryResult>> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(workerModule("table-process", import.meta.url)), {
    serialization: "advanced",
    env: {},
    execArgv: ["--permission", "--allow-fs-read=*", `--max-old-space-size=${heapMb}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  endWithServer(child);
  const { promise, resolve, reject } = Promise.withResolvers<DataAnswer<QueryResult>>();
  const slow = (what: string) =>
    reject(new DataProblem("too_slow", `The query ${what}. Select less, or join on columns.`));
  const timer = setTimeout(() => slow(`took over ${timeoutMs / 1_000} s`), timeoutMs);
  const watch = setInterval(() => {
    void memoryOf(child.pid).then((megabytes) => {
      if (megabytes > memoryMb) slow(`needed more than ${memoryMb} MB of memory`);
    });
  }, watchMs);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  child.once("message", (answer) => resolve(answer as DataAnswer<QueryResult>));
  child.once("error", reject);
  child.once("exit", () => slow("needed too much memory, or failed"));
  child.send(job, (error) => {
    if (error !== null) reject(error);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener("abort", abort);
    child.kill("SIGKILL");
  }
}

/** Returns the memory of a process in megabytes, or 0 if the system does not report it. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}
