import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { withoutSourceCondition } from "../source-condition.ts";

/** The time limit for a server to print its address, and to stop. */
const limitMs = 20_000;

/**
 * Starts `capstan serve` from the installed package, requests its health and its page, gets an
 * answer of the offline model, and stops it. Returns the failures.
 */
export async function tryServer(project: string): Promise<string[]> {
  const cwd = join(project, "data");
  await mkdir(cwd);
  const command = join(project, "node_modules/.bin/capstan");
  const child = spawn(process.execPath, [command, "serve", "--port", "0", "--data", cwd], {
    cwd,
    env: withoutSourceCondition(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const signal = AbortSignal.timeout(limitMs);
  let output = "";
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.once("exit", (code) => reject(new Error(`it ended with code ${code}`)));
      signal.addEventListener("abort", () => reject(new Error("it printed no address")));
    });
    await expect(url, "/healthz", /"ok"/, { signal });
    const page = await expect(url, "/", /<html/i, { signal });
    const [script = ""] = /\/assets\/[^"]+\.js/.exec(page) ?? [];
    await expect(url, script, /./, { signal, headers: { "accept-encoding": "br" } }, "br");
    const body = JSON.stringify({ model: "capstan/offline", input: "/help" });
    const headers = { "content-type": "application/json" };
    await expect(url, "/v1/responses", /"completed"/, { method: "POST", headers, body, signal });
    child.kill("SIGTERM");
    const [code] = (await exit) as [number | null];
    return code === 0
      ? []
      : [`capstan serve ended with code ${code} when it was stopped:\n${output}`];
  } catch (error) {
    return [`capstan serve: ${error instanceof Error ? error.message : String(error)}\n${output}`];
  } finally {
    child.kill("SIGKILL");
  }
}

/** Returns the text of an answer. */
async function expect(
  url: string,
  path: string,
  wanted: RegExp,
  init: RequestInit,
  encoding?: string,
): Promise<string> {
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (!response.ok || !wanted.test(text)) {
    throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
  }
  const actual = response.headers.get("content-encoding");
  if (encoding !== undefined && actual !== encoding)
    throw new Error(`${path} is not compressed as ${encoding}, but ${actual ?? "not at all"}.`);
  return text;
}
