import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isToolError } from "@capstan/core";
import { fakeContext, toolOf } from "@capstan/core/testing";
import { fileTools } from "./file-tools.ts";

test("a slow pattern on many lines does not block the event loop, and stops with its call", async () => {
  const root = await mkdtemp(join(tmpdir(), "search-file-"));
  try {
    const line = `${"ab".repeat(500)}\n`;
    await writeFile(join(root, "long.txt"), line.repeat(5_000));
    const tool = toolOf(fileTools({ roots: [{ path: root }] }), "SearchFiles");
    const controller = new AbortController();
    // A blocked event loop would never run the timer.
    setTimeout(() => controller.abort(new Error("stopped")), 100);
    const args = { path: ".", query: "(?:a|b)*a(?:a|b){900}[cd]", regex: true, max: 10 };
    const more = { ignoreCase: false, contextLines: 0, dependencies: false };
    const context = fakeContext({ signal: controller.signal });
    await assert.rejects(async () => {
      const result = await tool.execute?.({ ...args, ...more }, context);
      assert.ok(!isToolError(result), JSON.stringify(result));
    }, /stopped/);
  } finally {
    await rm(root, { recursive: true });
  }
});
