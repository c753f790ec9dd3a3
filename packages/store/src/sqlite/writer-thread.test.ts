/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is not a window */
import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { CommitEncoder } from "../encode/run-commit.ts";
import { migrate } from "./migrate.ts";
import { openForWriting } from "./open-database.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import { delta, end, newRun, start, withDataDir } from "../testing/store-fixtures.ts";

test("a thread that is stopped while it trims the tail finishes trimming and ends without an error", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "full");
    migrate(sql, 0);
    const file = openSync(path, "r+");
    const workerData = { durability: "full", syncDelayMs: 0 };
    const worker = new Worker(new URL("writer-thread.ts", import.meta.url), { workerData });
    let failure: unknown;
    worker.on("error", (thrown) => (failure = thrown));
    const ended = once(worker, "exit");
    const deltas = Array.from({ length: 600 }, () => delta("i", "x"));
    const journal = (writes: typeof deltas): StoreWrite => ({
      type: "journal",
      runId: "r",
      epoch: 1,
      writes,
    });
    const commits: readonly (readonly StoreWrite[])[] = [
      [{ type: "create-run", run: newRun({ id: "r" }) }],
      [journal([start("i"), ...deltas])],
      [journal([end("i", "x".repeat(deltas.length))])],
    ];
    const encoder = new CommitEncoder();
    worker.postMessage({ request: { open: { path, file } } });
    for (const writes of commits)
      worker.postMessage({ request: [encoder.encode({ at: 1, writes })] });
    worker.postMessage({ stop: true });
    assert.deepEqual(await ended, [0]);
    assert.equal(failure, undefined);
    assert.equal(sql.get<{ n: number }>("SELECT COUNT(*) AS n FROM tail")?.n, 0);
    sql.close();
    closeSync(file);
  });
});
