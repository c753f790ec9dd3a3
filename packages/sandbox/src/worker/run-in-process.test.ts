import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { runInProcess } from "./run-in-process.ts";

const folder = await mkdtemp(join(tmpdir(), "run-in-process-"));
after(() => rm(folder, { recursive: true }));

/** Returns a job whose module answers with the result of an expression. */
async function jobOf(expression: string) {
  const file = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(
    file,
    `process.once("message", async ({ input }) => process.send(await (${expression}), () => process.disconnect()));`,
  );
  const { signal } = new AbortController();
  const limits = { timeoutMs: 60_000, heapMb: 64, memoryMb: 2_000 };
  return { module: pathToFileURL(file), input: 20, signal, ...limits };
}

test("a job returns its result", async () => {
  assert.deepEqual(await runInProcess(await jobOf("input * 2")), { status: "done", value: 40 });
});

test("an allocation far beyond the heap limit ends the process of the job only", async () => {
  const job = await jobOf(`"<".repeat(100e6).split("").length`);
  assert.equal((await runInProcess(job)).status, "failed");
});

test("the limits of memory and time, and a signal, end an endless job", async () => {
  const endless = await jobOf("new Promise(() => setInterval(() => {}, 1000))");
  assert.equal((await runInProcess({ ...endless, timeoutMs: 1 })).status, "timed_out");
  const { status, ...more } = await runInProcess({ ...endless, memoryMb: 1 });
  assert.equal(status, process.platform === "linux" ? "failed" : "timed_out", JSON.stringify(more));
  const controller = new AbortController();
  const stopped = runInProcess({ ...endless, signal: controller.signal });
  controller.abort(new Error("not wanted"));
  await assert.rejects(stopped, /not wanted/);
});

test("a job has no environment, no network, no programs, and cannot write", async () => {
  const job = await jobOf(`(async () => {
    const tries = {
      write: () => import("node:fs").then((fs) => fs.writeFileSync(${JSON.stringify(join(folder, "x"))}, "x")),
      program: () => import("node:child_process").then((c) => c.execFileSync("true")),
      network: () => fetch("http://127.0.0.1:65000/"),
    };
    const codes = {};
    for (const [name, run] of Object.entries(tries))
      codes[name] = await run().then(() => "done", (e) => e.cause?.code ?? e.code);
    return { ...codes, variables: Object.keys(process.env).filter((name) => !name.startsWith("NODE_CHANNEL")) };
  })()`);
  const denied = "ERR_ACCESS_DENIED";
  assert.deepEqual(await runInProcess(job), {
    status: "done",
    value: { write: denied, program: denied, network: denied, variables: [] },
  });
});
