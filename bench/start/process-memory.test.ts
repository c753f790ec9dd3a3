import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { processTree, residentBytes } from "./process-memory.ts";

const skip = process.platform === "linux" ? false : "needs /proc";

test("a process tree contains the children, and each process uses memory", { skip }, async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log('up')"]);
  try {
    await once(child.stdout, "data");
    const tree = processTree(process.pid);
    assert.equal(tree[0], process.pid);
    assert.ok(child.pid !== undefined && tree.includes(child.pid));
    assert.ok(residentBytes(child.pid) > 1e6);
  } finally {
    child.kill();
  }
  await once(child, "exit");
  assert.equal(residentBytes(child.pid ?? 0), 0);
});
