import assert from "node:assert/strict";
import { test } from "node:test";
import { lineDiff } from "./definition-diff.ts";

test("a comparison shows removed, added and equal lines in their order", () => {
  assert.equal(lineDiff("a\nb\nc", "a\nx\nc\nd"), " a\n-b\n+x\n c\n+d");
  assert.equal(lineDiff("a", "a"), " a");
  assert.equal(lineDiff("", "a"), "-\n+a");
  const long = Array.from({ length: 2_000 }, (_, n) => String(n)).join("\n");
  assert.match(lineDiff(long, "a"), /^-0\n.*\n\+a$/s);
});
