import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { findWalCorruption } from "./wal-corruption.ts";
import { withDataDir } from "../testing/store-fixtures.ts";

const frameSize = 24 + 4_096;

/** The log of a database, and the offsets of the frames that end its commits. */
interface Log {
  readonly bytes: Buffer;
  readonly commits: readonly number[];
}

/**
 * @param before the number of commits before SQLite restarted the log
 * @param commits the number of commits after that
 */
async function writeLog(dataDir: string, before: number, commits: number): Promise<Log> {
  const path = join(dataDir, "written.db");
  using database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE texts (text)",
  );
  const insert = database.prepare("INSERT INTO texts VALUES (randomblob(?))");
  for (let n = 0; n < before; n++) insert.run(9_000);
  if (before > 0) database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  for (let n = 0; n < commits; n++) insert.run((n % 4) * 4_000);
  const bytes = await readFile(`${path}-wal`);
  const starts = Array.from(
    { length: Math.floor((bytes.length - 32) / frameSize) },
    (_, n) => 32 + n * frameSize,
  );
  const isCommit = (at: number) =>
    bytes.compare(bytes, 16, 24, at + 8, at + 16) === 0 && bytes.readUInt32BE(at + 4) > 0;
  return { bytes, commits: starts.filter(isCommit) };
}

async function withLogs(
  use: (
    logs: readonly Log[],
    find: (bytes: Buffer) => Promise<string | undefined>,
  ) => Promise<void>,
): Promise<void> {
  await withDataDir((fresh) =>
    withDataDir(async (used) => {
      const logs = [await writeLog(fresh, 0, 20), await writeLog(used, 30, 12)];
      assert.ok(
        logs[1]!.commits.at(-1)! + 10 * frameSize < logs[1]!.bytes.length,
        "older frames follow",
      );
      await use(logs, async (bytes) => {
        const database = join(fresh, "capstan.db");
        await writeFile(`${database}-wal`, bytes);
        return findWalCorruption(database);
      });
    }),
  );
}

const numRuns = 60;

test("rolled back frames of a long transaction in the log do not count as damage", () =>
  withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    using database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 2; CREATE TABLE texts (text)");
    for (const end of ["COMMIT", "ROLLBACK", "COMMIT", "ROLLBACK"]) {
      database.exec("BEGIN");
      for (let n = 0; n < 20; n++) database.exec("INSERT INTO texts VALUES (randomblob(9000))");
      database.exec(end);
      database.exec("INSERT INTO texts VALUES ('short')");
      assert.equal(await findWalCorruption(path), undefined);
    }
  }));

// Contract: durability-66
test("a log truncated anywhere, with or without older frames behind it, is intact", () =>
  withLogs(async (logs, find) => {
    for (const { bytes } of logs) {
      assert.equal(await find(bytes), undefined);
      const cut = fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        assert.equal(await find(bytes.subarray(0, length)), undefined);
      });
      await fc.assert(cut, { numRuns });
    }
  }));

// Contract: durability-66
test("a changed byte before the last two commits is found", () =>
  withLogs(async (logs, find) => {
    for (const { bytes, commits } of logs) {
      const flip = fc.asyncProperty(
        fc.oneof(fc.nat(31), fc.nat(32 + frameSize), fc.nat(commits.at(-2)! - 1)),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const changed = Buffer.from(bytes);
          changed[at]! ^= change;
          assert.match(
            (await find(changed)) ?? "sound",
            /write-ahead log .*capstan\.db-wal is corrupt/,
          );
        },
      );
      await fc.assert(flip, { numRuns });
    }
  }));

// Contract: durability-66
test("the last commit may be incomplete, in whatever order the disk wrote it", () =>
  withLogs(async (logs, find) => {
    for (const { bytes, commits } of logs) {
      const [before, last] = commits.slice(-2) as [number, number];
      const torn = fc.asyncProperty(
        fc.integer({ min: before + frameSize, max: last + frameSize - 1 }),
        fc.integer({ min: 1, max: frameSize }),
        async (from, length) => {
          const changed = Buffer.from(bytes).fill(
            0,
            from,
            Math.min(from + length, last + frameSize),
          );
          assert.equal(await find(changed), undefined);
        },
      );
      await fc.assert(torn, { numRuns });
    }
  }));
