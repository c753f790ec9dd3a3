import { fdatasyncSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { CheckpointThreadOptions } from "./checkpoints.ts";
import { errorDataOf } from "../records/error-data.ts";
import { openForWriting } from "./open-database.ts";
import { serveThread } from "../live/serve-thread.ts";

const { path, file, durability } = workerData as CheckpointThreadOptions;
const sql = openForWriting(path, durability);

serveThread({
  failure: (thrown) => errorDataOf("Moving the write-ahead log into the database", thrown),
  answer: () => {
    // A passive checkpoint does not wait for readers or the writer, and does not block them.
    const moved = sql.get("PRAGMA wal_checkpoint(PASSIVE)");
    // SQLite syncs only when the last page of the log is copied, which the writer does. Syncing
    // here shortens the writer's wait.
    fdatasyncSync(file);
    return moved;
  },
  stop: () => sql.close(),
});
