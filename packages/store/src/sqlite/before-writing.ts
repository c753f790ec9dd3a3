import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { requireSoundLog } from "./log-damage.ts";
import { openForReading } from "./open-database.ts";
import { Sql } from "./sql.ts";

/**
 * Looks at a database before anything of it is written, under the lock of its folder: to open it for
 * writing moves its log into it.
 *
 * @throws CapstanError `database_corrupt` where its log is damaged, or what `look` throws
 */
export async function beforeWriting(path: string, look: (sql: Sql) => void): Promise<void> {
  await requireSoundLog(path);
  // What a crash left half done in a rollback journal is undone by who may write alone.
  const sql = existsSync(`${path}-journal`)
    ? new Sql(new DatabaseSync(path, { timeout: 5_000 }))
    : openForReading(path);
  try {
    look(sql);
  } finally {
    sql.close();
  }
}
