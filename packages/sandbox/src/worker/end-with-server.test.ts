import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const options = { skip: process.platform !== "linux" };

test("a job that computes without end ends when its server is killed", options, async () => {
  const folder = await mkdtemp(join(tmpdir(), "end-with-server-"));
  const [job, server] = [join(folder, "job.mjs"), join(folder, "server.mjs")];
  await writeFile(job, `process.once("message", () => { for (;;); });`);
  const runner = new URL("./run-in-process.ts", import.meta.url).href;
  await writeFile(
    server,
    `import { readFileSync } from "node:fs";
    import { runInProcess } from ${JSON.stringify(runner)};
    const limits = { timeoutMs: 600_000, heapMb: 64, memoryMb: 2_000 };
    const { signal } = new AbortController();
    const run = () => runInProcess({ module: new URL(${JSON.stringify(pathToFileURL(job).href)}), input: {}, signal, ...limits });
    // An earlier job that has ended is no longer watched.
    const first = new AbortController();
    const ended = runInProcess({ module: new URL(${JSON.stringify(pathToFileURL(job).href)}), input: {}, ...limits, signal: first.signal });
    first.abort();
    await ended.catch(() => {});
    void run();
    console.log(readFileSync("/proc/self/task/" + process.pid + "/children", "utf8"));`,
  );
  const child = spawn(process.execPath, ["--conditions=@capstan/source", server], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const ids = line.toString().trim().split(/\s+/).map(Number);
    assert.equal(ids.length, 2, "the job, and the process that watches");
    child.kill("SIGKILL");
    await once(child, "exit");
    for (let waited = 0; waited < 200 && ids.some(isAlive); waited++) await delay(50);
    assert.deepEqual(ids.filter(isAlive), []);
  } finally {
    child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});
