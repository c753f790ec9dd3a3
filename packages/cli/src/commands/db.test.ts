import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PruneReport } from "@capstan/store";
import { pruneLines, manageDiskUsage, usageLines } from "./db.ts";

const megabyte = 1_048_576;

test("usage shows each user's bytes by kind, and the database file", () => {
  const byKind = { events: megabyte, messages: 2 * megabyte, calls: 0, variables: 0, other: 0 };
  const ann = { owner: "ann", conversations: 1, runs: 2, bytes: 3 * megabyte, byKind };
  const lines = usageLines({ users: [ann], fileBytes: 5 * megabyte });
  assert.equal(lines[0], "ann: 1 conversation, 2 runs, 3.0 MB");
  assert.match(lines.join("\n"), /2\.0 MB {2}what was said/);
  assert.match(lines.at(-1) ?? "", /5\.0 MB/);
});

test("pruning says what goes of whom, what for, and what is kept and why", () => {
  const ann: PruneReport = {
    owner: "ann",
    conversations: 3,
    runs: 9,
    bytes: 4 * megabyte,
    freedBytes: megabyte,
    held: { question: 2 },
  };
  assert.deepEqual(pruneLines([ann], "would go"), [
    "ann: 3 conversations with 9 runs in all would go, 4.0 MB, 1.0 MB of it to make room",
    "  kept although it is due: 2, because a question waits for an answer",
  ]);
  assert.deepEqual(pruneLines([], "deleted"), ["Nothing is old or too much."]);
});

test("without rules nothing is deleted, and it is said how to name some; a wrong number is refused", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-db-"));
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const common = { wish: "prune", place: { dataDir }, isDryRun: false, say } as const;
  try {
    assert.equal(await manageDiskUsage({ ...common, retention: {} }), 2);
    assert.match(lines.join(), /everything is kept.*--days/);
    assert.equal(await manageDiskUsage({ ...common, retention: {}, days: "soon" }), 2);
    assert.match(lines.join(), /--days: expected a number above 0, got "soon"/);
    await assert.rejects(manageDiskUsage({ ...common, retention: { days: 3 } }), {
      code: "no_store",
    });
    await assert.rejects(manageDiskUsage({ ...common, wish: "usage", retention: {} }), {
      code: "no_store",
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
