/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is no window */
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** What a server was like while it was watched. */
export interface ServerWatch {
  /** The longest answer of `/healthz`, in ms. */
  readonly slowestMs: number;
  /** The most resident memory, in MB. */
  readonly memoryMb: number;
}

/** Asks `/healthz` every 20 ms from a thread of its own, until it is stopped. Linux: memory is read from `/proc`. */
export function watchServer(server: { readonly url: string; readonly pid: number }): {
  readonly stop: () => Promise<ServerWatch>;
} {
  const { url, pid } = server;
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, pid } });
  const seen = new Promise<ServerWatch>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return {
    stop: () => {
      worker.postMessage("stop");
      return seen;
    },
  };
}

if (!isMainThread) {
  const { url, pid } = workerData as { readonly url: string; readonly pid: number };
  let stopped = false;
  parentPort?.once("message", () => (stopped = true));
  let slowestMs = 0;
  let memoryMb = 0;
  while (!stopped) {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(`${url}/healthz`, (response) => response.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
    slowestMs = Math.max(slowestMs, performance.now() - began);
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    memoryMb = Math.max(memoryMb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
    await sleep(20);
  }
  parentPort?.postMessage({ slowestMs, memoryMb } satisfies ServerWatch);
}
