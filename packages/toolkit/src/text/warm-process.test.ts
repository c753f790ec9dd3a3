import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { runInWarmProcess } from "./warm-process.ts";

const folder = await mkdtemp(join(tmpdir(), "warm-process-"));
after(() => rm(folder, { recursive: true }));
const file = join(folder, "jobs.mjs");
await writeFile(
  file,
  `import { answerJobs } from ${JSON.stringify(new URL("answer-jobs.ts", import.meta.url).href)};
  answerJobs((input) => {
    if (input === "crash") return "<".repeat(400e6).split("").length;
    if (input === "hang") return new Promise(() => {});
    if (input === "throw") throw new Error("no such unit");
    return process.pid;
  });`,
);

function run(
  input: string,
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
) {
  const { signal } = new AbortController();
  const limits = { timeoutMs: 30_000, heapMb: 64 };
  return runInWarmProcess<number>({
    module: pathToFileURL(file),
    input,
    signal,
    ...limits,
    ...more,
  });
}

test("the next job runs in the same process, unless the last one failed", async () => {
  const first = await run("");
  assert.ok(first.status === "done" && first.value !== process.pid);
  assert.deepEqual(await run(""), first);
  assert.deepEqual(await run("throw"), { status: "failed", message: "no such unit" });
  assert.notDeepEqual(await run(""), first);
});

test("an allocation far beyond the heap limit ends the process of the job only", async () => {
  assert.equal((await run("crash")).status, "failed");
  assert.equal((await run("")).status, "done");
});

test("the time limit and a signal end a job", async () => {
  assert.deepEqual(await run("hang", { timeoutMs: 1 }), { status: "timed_out" });
  const controller = new AbortController();
  const stopped = run("hang", { signal: controller.signal });
  controller.abort(new Error("not wanted"));
  await assert.rejects(stopped, /not wanted/);
});
