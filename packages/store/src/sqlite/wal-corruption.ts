import { type FileHandle, open } from "node:fs/promises";
import { CapstanError } from "@capstan/core/base";
import { storeError } from "../records/store-error.ts";
import { markerPath } from "./log-marker.ts";
import { type LogEnd, readLogEnd } from "./write-ahead-log.ts";

/**
 * Finds corruption in a write-ahead log. SQLite treats the first unreadable frame as the end of the
 * log and ignores the following frames. That is correct if a power failure interrupted the last
 * commit. If more than one commit follows, the unreadable commit was durable, so the log is
 * corrupt.
 *
 * @param database its path; a server can use it at the same time
 * @returns a sentence, or undefined if the log is intact or missing
 */
export async function findWalCorruption(database: string): Promise<string | undefined> {
  const path = logOf(database);
  const found = await lastingDamage(path);
  return found && described(path, found);
}

/**
 * Checks that the write-ahead log is intact. Otherwise SQLite would overwrite the frames after the
 * corrupt one.
 *
 * @throws CapstanError `database_corrupt`
 */
export async function requireIntactWal(database: string): Promise<void> {
  const path = logOf(database);
  const found = await lastingDamage(path);
  if (found === undefined) return;
  const cut = found.offset === 0 ? "move the log away" : `\`truncate -s ${found.offset} ${path}\``;
  throw new CapstanError({
    code: "database_corrupt",
    message:
      `${described(path, found)} Nothing was changed. Restore a backup, and move the log away with the database. ` +
      `To continue without the unreadable part, copy both files aside, ${cut}, delete ${markerPath(database)}, and check the rest with \`capstan db check\`.`,
  });
}

const logOf = (database: string) => `${database}-wal`;

function described(path: string, { offset, commitsBehind }: LogEnd): string {
  return offset === 0
    ? `The header of the write-ahead log ${path} is corrupt: nothing of it can be read.`
    : `The write-ahead log ${path} is corrupt at byte ${offset}: ${commitsBehind} commits behind it cannot be read.`;
}

/**
 * Returns only damage that a second read also finds. A frame that a server was writing during the
 * first read is complete by then.
 */
async function lastingDamage(path: string): Promise<LogEnd | undefined> {
  const found = await corruptEnd(path);
  const again = found && (await corruptEnd(path));
  return again?.offset === found?.offset ? found : undefined;
}

async function corruptEnd(path: string): Promise<LogEnd | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const end = await readLogEnd(file);
    return end && (end.offset === 0 || end.commitsBehind > 1) ? end : undefined;
  } catch (error) {
    // A clean stop deletes the log.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw storeError(`Reading ${path}`, error);
  } finally {
    await file?.close();
  }
}
