import { workerData } from "node:worker_threads";
import { Checkpoints } from "./checkpoints.ts";
import type { EncodedRequest } from "../encode/run-commit.ts";
import type { RecoveredRun } from "../records/read-results.ts";
import type { WriteResult } from "../records/write-results.ts";
import { errorDataOf } from "../records/error-data.ts";
import { openForWriting } from "./open-database.ts";
import { markStop } from "./log-marker.ts";
import { serveThread } from "../live/serve-thread.ts";
import type { OpenedDatabase, WriterRequest, WriterThreadOptions } from "./sqlite-writer.ts";
import { applyBatch } from "./apply-batch.ts";
import { createWriteContext } from "./create-write-context.ts";

const { durability, syncDelayMs, webhooks } = workerData as WriterThreadOptions;
const delayCell = new Int32Array(new SharedArrayBuffer(4));
let writer: OpenWriter | undefined;

serveThread({
  failure: (thrown) => errorDataOf("Writing to the store", thrown),
  answer: (request) => answer(request as WriterRequest),
  stop: () => writer?.stop(),
});

function answer(request: WriterRequest): readonly RecoveredRun[] | readonly WriteResult[] {
  if ("open" in request) {
    writer = openWriter(request.open);
    return writer.recoveredRuns;
  }
  if (writer === undefined) throw new Error("No database is open.");
  return writer.commit(request);
}

interface OpenWriter {
  readonly recoveredRuns: readonly RecoveredRun[];
  commit(batch: readonly EncodedRequest[]): readonly WriteResult[];
  stop(): Promise<void>;
}

function openWriter({ path, file }: OpenedDatabase): OpenWriter {
  const sql = openForWriting(path, durability);
  const { context, recoveredRuns } = createWriteContext(sql, webhooks);
  const checkpoints = new Checkpoints(sql, { path, file, durability });
  let nextTrim = context.trim.pending ? setImmediate(trim) : undefined;

  /** Trims the tail between commits, because callers wait for commits. */
  function trimLater(): void {
    if (context.trim.pending) nextTrim ??= setImmediate(trim);
  }

  /**
   * Trims a part of the tail. It waits for the disk like any commit, although no caller waits for
   * it. A power failure during several unsynced commits may keep only the later ones, which would
   * look like a corrupt log.
   */
  function trim(): void {
    nextTrim = undefined;
    try {
      context.trim.removeBatch(sql);
    } catch {
      // The rows stay, and the next commit tries again.
      return;
    }
    waitAsSlowDisk();
    trimLater();
  }

  return {
    recoveredRuns,
    commit(batch) {
      const results = applyBatch(context, batch);
      trimLater();
      const { changes } = context;
      // Secrets that were deleted during the checkpoint could not be removed from the log.
      void checkpoints.committed(changes.volume, changes.cleared)?.then(() => changes.clearLog());
      waitAsSlowDisk();
      return results;
    },
    async stop() {
      await checkpoints.stop();
      clearImmediate(nextTrim);
      try {
        while (context.trim.pending) context.trim.removeBatch(sql);
        // If readers are still connected, closing the database would not delete the log.
        await markStop(path, sql);
      } catch {
        // This fails on a full disk, for example. The next start handles the rest.
      }
      sql.close();
    },
  };
}

function waitAsSlowDisk(): void {
  if (syncDelayMs > 0) Atomics.wait(delayCell, 0, 0, syncDelayMs);
}
