import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder } from "./make-folder.ts";

test("a folder is created with its parents, for this user only", async () => {
  const root = await mkdtemp(join(tmpdir(), "capstan-"));
  try {
    const path = join(root, "a", "b");
    await Promise.all([makeFolder(path), makeFolder(path)]);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    await writeFile(join(root, "file"), "");
    await assert.rejects(makeFolder(join(root, "file", "below")));
  } finally {
    await rm(root, { recursive: true });
  }
});

test(
  "rejects a path that cannot be a folder instead of waiting forever",
  { skip: process.platform !== "linux" && "there is no /proc" },
  async () => {
    await assert.rejects(makeFolder("/proc/capstan/data"));
  },
);
