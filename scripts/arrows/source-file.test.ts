import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "./source-file.ts";

const places = {
  "packages/core/src/index.ts": ["core", ".", "source"],
  "packages/core/src/call/run/run-tool.ts": ["core", "call/run", "source"],
  "packages/core/src/call/run/run-tool.test.ts": ["core", "call/run", "test"],
  "packages/web/src/chat/chat-page.test.tsx": ["web", "chat", "test"],
  "packages/core/src/tool/tool.test-d.ts": ["core", "tool", "test"],
  "packages/core/src/testing/index.ts": ["core", "testing", "helper"],
  "packages/store/src/read/testing/rows.ts": ["store", "read/testing", "helper"],
  "packages/core/test/helper.ts": ["core", "packages/core/test", "test"],
  "bench/runs/two-nodes.ts": [undefined, "bench/runs", "source"],
  "scripts/testing/apt.ts": [undefined, "scripts/testing", "source"],
} as const;
for (const [path, [packageName, folder, role]] of Object.entries(places))
  test(`the place of ${path}`, () => {
    assert.deepEqual(placeOf(path), { packageName, folder, role });
  });
