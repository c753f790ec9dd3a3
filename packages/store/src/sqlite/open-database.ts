import type { Durability } from "../live/store.ts";
import { DatabaseSync } from "node:sqlite";
import { SqliteConnection } from "./sqlite-connection.ts";

/** Opens the only connection that writes. */
export function openForWriting(path: string, durability: Durability): SqliteConnection {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  // `temp_store` keeps temporary data of sorts in memory. `fullfsync` makes FULL effective on
  // macOS. `checkpoints.ts` moves the log into the database.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"};
    PRAGMA fullfsync = ${durability === "full" ? "ON" : "OFF"};
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -32000;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 67108864;
  `);
  return new SqliteConnection(database);
}

/** Opens a connection that only reads. */
export function openForReading(path: string): SqliteConnection {
  return new SqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: 5_000 }));
}
