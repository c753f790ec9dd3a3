import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Usage } from "./started-process.ts";

/**
 * Reports a server's address to the process that started it, then its measurements on request, and
 * ends this process when it is told to.
 */
export function serveUsage(url: string, close: () => Promise<unknown> | void): void {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  let since = process.cpuUsage();
  const end = (): void => void Promise.resolve(close()).finally(() => process.exit());
  // The process that started this one has ended.
  process.once("disconnect", end);
  process.on("message", (message) => {
    if (message === "stop") return end();
    const { user, system } = process.cpuUsage(since);
    const usage: Usage = { processorUs: user + system, gapMs: loop.max / 1e6 };
    since = process.cpuUsage();
    loop.reset();
    process.send?.(usage);
  });
  process.send?.(url);
}
