import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What a server was like while it was watched. */
export interface ServerWatch {
  /** The longest answer of `/healthz`, in ms. */
  readonly slowestMs: number;
  /**
   * The same without the time for which the server's main thread or the watching process had work
   * and no processor, in ms. That is the machine's share: tests run beside each other, and the
   * clients of a test take the processors that the server needs.
   */
  readonly slowestOwnMs: number;
  /** The most resident memory, in MB. */
  readonly memoryMb: number;
}

/** Asks `/healthz` every 20 ms from a process of its own, until it is stopped. Linux: reads `/proc`. */
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

/** How long the main thread of a process has waited for a processor, in ms. */
async function waitedMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8").catch(() => "");
  return Number(stat.split(" ")[1] ?? 0) / 1_000_000;
}

async function watch(url: string, pid: number): Promise<void> {
  let stopped = false;
  process.once("message", () => (stopped = true));
  let slowestMs = 0;
  let slowestOwnMs = 0;
  let memoryMb = 0;
  const waited = async () => (await waitedMs(pid)) + (await waitedMs(process.pid));
  while (!stopped) {
    const waitedBefore = await waited();
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(`${url}/healthz`, (response) => response.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
    const tookMs = performance.now() - began;
    slowestMs = Math.max(slowestMs, tookMs);
    slowestOwnMs = Math.max(slowestOwnMs, tookMs - (await waited()) + waitedBefore);
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    memoryMb = Math.max(memoryMb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
    await sleep(20);
  }
  process.send?.({ slowestMs, slowestOwnMs, memoryMb } satisfies ServerWatch, () =>
    process.disconnect?.(),
  );
}

const [, main, url, pid] = process.argv;
if (main === import.meta.filename && url !== undefined) await watch(url, Number(pid));
