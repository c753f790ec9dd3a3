import { workerData } from "node:worker_threads";
import type { CheckpointThreadOptions } from "./checkpoints.ts";
import { openForWriting } from "./open-database.ts";
import { serveThread } from "./serve-thread.ts";

const { path, durability } = workerData as CheckpointThreadOptions;
const sql = openForWriting(path, durability);

serveThread({
  what: "Moving the write-ahead log into the database",
  // Passive: it waits for nobody, and whoever writes goes on.
  answer: () => [sql.get("PRAGMA wal_checkpoint(PASSIVE)")],
  stop: () => sql.close(),
});
