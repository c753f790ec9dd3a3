import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeTemporaryFolder, sweepTemporaryFolders } from "./temporary-folder.ts";

test("the next process removes folders of a killed process, but not folders in use", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const left = join(tmpdir(), `capstan-run-${pid}-left`);
  mkdirSync(left);
  const own = makeTemporaryFolder();
  const others = join(tmpdir(), `capstan-run-1-${process.pid}`);
  mkdirSync(others);
  try {
    sweepTemporaryFolders();
    assert.deepEqual(
      [left, own, others].map((path) => existsSync(path)),
      [false, true, true],
    );
  } finally {
    rmSync(own, { recursive: true });
    rmSync(others, { recursive: true });
  }
});
