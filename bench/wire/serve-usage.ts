import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
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

/** Listens on a free port of this machine, and serves the usage of the server. */
export async function listenWithUsage(server: Server): Promise<void> {
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  serveUsage(`http://127.0.0.1:${port}/v1`, () => void server.close());
}
