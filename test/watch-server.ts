import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Measurements of a watched server. */
export interface ServerWatch {
  /** The longest answer of `/healthz`, in ms. */
  readonly slowestMs: number;
  /**
   * The same in ms, without the time for which a thread of the server or the watching process
   * waited for a processor. That time depends on the machine: tests run at the same time, and a
   * test's clients use the processors that the server needs. The main thread also waits for other
   * threads, for example when memory is collected.
   */
  readonly slowestOwnMs: number;
  /** The most processor time that the server's main thread took before it answered, in ms. */
  readonly busiestMs: number;
  /** The most resident memory, in MB. */
  readonly memoryMb: number;
}

/**
 * Requests `/healthz` every 20 ms from a separate process, until it is stopped. Linux: reads
 * `/proc`.
 */
export function watchServer({ url, pid }: { readonly url: string; readonly pid: number }): {
  readonly stop: () => Promise<ServerWatch>;
} {
  const child = fork(import.meta.filename, [url, String(pid)], { execArgv: [] });
  const seen = reportOf(child);
  seen.catch(() => {});
  return {
    stop: () => {
      child.send("stop");
      return seen;
    },
  };
}

async function reportOf(child: ChildProcess): Promise<ServerWatch> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The process that watches the server ended with ${code}.`);
  });
  const [seen] = (await Promise.race([once(child, "message"), ended])) as [ServerWatch];
  return seen;
}

/** The times of a thread, in ms. */
interface ThreadTimes {
  /** Processor time. */
  readonly ran: number;
  /** The time for which the thread was ready but had no processor. */
  readonly waited: number;
}

/** The threads of a process, by their paths. */
async function timesOf(pid: number): Promise<ReadonlyMap<string, ThreadTimes>> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = tasks.map(async (task) => {
    const path = `/proc/${pid}/task/${task}/schedstat`;
    const stat = await readFile(path, "utf8").catch(() => "");
    const [ran = 0, waited = 0] = stat.split(" ").map((ns) => Number(ns) / 1_000_000);
    return [path, { ran, waited }] as const;
  });
  return new Map(await Promise.all(times));
}

async function watch(url: string, pid: number): Promise<void> {
  let stopped = false;
  process.once("message", () => (stopped = true));
  let seen: ServerWatch = { slowestMs: 0, slowestOwnMs: 0, busiestMs: 0, memoryMb: 0 };
  const mainThread = `/proc/${pid}/task/${pid}/schedstat`;
  const times = async () => new Map([...(await timesOf(pid)), ...(await timesOf(process.pid))]);
  while (!stopped) {
    const before = await times();
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(`${url}/healthz`, (response) => response.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
    const tookMs = performance.now() - began;
    let waitedMs = 0;
    const after = await times();
    // A thread that ends while its times are read has none.
    for (const [thread, { waited }] of after)
      waitedMs += Math.max(0, waited - (before.get(thread)?.waited ?? 0));
    const ranMs = (after.get(mainThread)?.ran ?? 0) - (before.get(mainThread)?.ran ?? 0);
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
    seen = {
      slowestMs: Math.max(seen.slowestMs, tookMs),
      slowestOwnMs: Math.max(seen.slowestOwnMs, tookMs - waitedMs),
      busiestMs: Math.max(seen.busiestMs, Math.min(tookMs, ranMs)),
      memoryMb: Math.max(seen.memoryMb, memoryMb),
    };
    await sleep(20);
  }
  process.send?.(seen, () => process.disconnect?.());
}

const [, main, url, pid] = process.argv;
if (main === import.meta.filename && url !== undefined) await watch(url, Number(pid));
