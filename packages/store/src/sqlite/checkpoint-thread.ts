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
    // Passive: it waits for nobody, and whoever writes goes on.
    const moved = sql.get("PRAGMA wal_checkpoint(PASSIVE)");
    // SQLite leaves this to whoever moves the log's last page, which is the writer: it has little left to wait for.
    fdatasyncSync(file);
    return moved;
  },
  stop: () => sql.close(),
});
