import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArrows } from "./check-arrows.ts";
import { scratchTree, smallTable } from "./testing/scratch-tree.ts";

test("the architecture page lists the table", () => {
  const [problem] = checkArrows(
    scratchTree(smallTable, { "docs/architecture.md": "# Architecture\n" }),
    smallTable,
  );
  assert.match(problem ?? "", /^docs\/architecture\.md does not list .* --print/);
});
