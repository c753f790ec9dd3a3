import { workerData } from "node:worker_threads";
import { Checkpoints } from "./checkpoints.ts";
import type { EncodedRequest } from "../encode/run-commit.ts";
import type { RecoveredRun } from "../records/read-results.ts";
import type { WriteResult } from "../records/write-results.ts";
import { errorDataOf } from "../records/error-data.ts";
import { openForWriting } from "./open-database.ts";
import { markStop } from "./log-marker.ts";
import { serveThread } from "../live/serve-thread.ts";
import type { WriterRequest, WriterThreadOptions } from "./sqlite-writer.ts";
import { applyBatch } from "./apply-batch.ts";
import { createWriteContext } from "./create-write-context.ts";

const { path, file, durability, syncDelayMs } = workerData as WriterThreadOptions;
const neverWoken = new Int32Array(new SharedArrayBuffer(4));
const sql = openForWriting(path, durability);
const { context, recoveredRuns } = createWriteContext(sql);
const checkpoints = new Checkpoints(sql, { path, file, durability });

serveThread({
  failure: (thrown) => errorDataOf("Writing to the store", thrown),
  answer: (request) => answer(request as WriterRequest),
  stop: async () => {
    await checkpoints.stop();
    clearImmediate(nextTrim);
    try {
      while (context.trim.pending) context.trim.removeBatch(sql);
      // Readers may still be there, and then closing would leave the log behind.
      await markStop(path, sql);
    } catch {
      // With a full disk, say: the next start finds what is left.
    }
    sql.close();
  },
});

function answer(request: WriterRequest): readonly RecoveredRun[] | readonly WriteResult[] {
  return request === "recovered-runs" ? recoveredRuns : commit(request);
}

function commit(batch: readonly EncodedRequest[]): readonly WriteResult[] {
  const results = applyBatch(context, batch);
  trimLater();
  const { changes } = context;
  // What was wiped while the log was being moved could not be taken out of it.
  void checkpoints.committed(changes.volume, changes.cleared)?.then(() => changes.clearLog());
  waitAsSlowDisk();
  return results;
}

function waitAsSlowDisk(): void {
  if (syncDelayMs > 0) Atomics.wait(neverWoken, 0, 0, syncDelayMs);
}

let nextTrim = context.trim.pending ? setImmediate(trim) : undefined;

/** Between commits: whoever waits for one comes first. */
function trimLater(): void {
  if (context.trim.pending) nextTrim ??= setImmediate(trim);
}

/**
 * It waits for the disk as every commit does, though nobody waits for it: of several that were on
 * their way at once a power cut may leave the later ones, which looks like a damaged log.
 */
function trim(): void {
  nextTrim = undefined;
  try {
    context.trim.removeBatch(sql);
  } catch {
    // They stay, and are tried again after the next commit.
    return;
  }
  waitAsSlowDisk();
  trimLater();
}
