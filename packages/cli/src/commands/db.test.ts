import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PruneReport } from "@capstan/store";
import { pruneLines, manageDiskUsage, usageLines } from "./db.ts";

const megabyte = 1_048_576;

test("usage shows each user's bytes by kind, and the database file", () => {
  const byKind = {
    events: megabyte,
    messages: 2 * megabyte,
    calls: 0,
    variables: 0,
    files: 0,
    other: 0,
  };
  const ann = { owner: "ann", conversations: 1, runs: 2, bytes: 3 * megabyte, byKind };
  const lines = usageLines({ users: [ann], fileBytes: 5 * megabyte });
  assert.equal(lines[0], "ann: 1 conversation, 2 runs, 3.0 MB");
  assert.match(lines.join("\n"), /2\.0 MB {2}messages/);
  assert.match(lines.at(-1) ?? "", /5\.0 MB/);
});

test("pruning reports the deleted data of each user, and the reason for data that stays", () => {
  const ann: PruneReport = {
    owner: "ann",
    conversations: 3,
    runs: 9,
    bytes: 4 * megabyte,
    freedBytes: megabyte,
    held: { question: 2 },
  };
  assert.deepEqual(pruneLines([ann], { isPlan: true }), [
    "ann: would delete 3 conversations with 9 runs, 4.0 MB, 1.0 MB of it to meet the size limit",
    "  2 due but not deleted, because an approval or a review is pending",
  ]);
  assert.deepEqual(pruneLines([], { isPlan: false }), ["No data exceeds the retention."]);
});

test("without rules nothing is deleted, and the message says how to set some; an invalid number is rejected", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-db-"));
  const lines: string[] = [];
  const printLine = (line: string) => lines.push(line);
  const common = { action: "prune", place: { dataDir }, isDryRun: false, printLine } as const;
  try {
    assert.equal(await manageDiskUsage({ ...common, retention: {} }), 2);
    assert.match(lines.join(), /nothing is deleted.*--days/);
    assert.equal(await manageDiskUsage({ ...common, retention: {}, days: "soon" }), 2);
    assert.match(lines.join(), /--days: expected a number above 0, got "soon"/);
    await assert.rejects(manageDiskUsage({ ...common, retention: { days: 3 } }), {
      code: "no_store",
    });
    await assert.rejects(manageDiskUsage({ ...common, action: "usage", retention: {} }), {
      code: "no_store",
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
