import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { everything } from "./everything.ts";

const program = new URL("../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs", import.meta.url);

/** Another proxy in front of the published server. */
export interface StartedProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `mcp-proxy`, and waits until it listens. */
export async function startProxy(): Promise<StartedProxy> {
  const port = await freePort();
  const { command, args } = everything;
  const options = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream"];
  const started = [fileURLToPath(program), ...options, "--", command, ...args];
  // The program that starts it prints figures to its standard output.
  const child = spawn(process.execPath, started, { stdio: ["ignore", 2, "ignore"] });
  const url = `http://127.0.0.1:${port}/mcp`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`mcp-proxy ended with code ${child.exitCode}.`);
    await sleep(50);
  }
  return {
    url,
    async stop() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
