import assert from "node:assert/strict";
import { test } from "node:test";
import { listFailures } from "./list-failures.ts";

test("each failed test is listed with its file, line, name and the first lines of its error", () => {
  const error = ["Error: because", "", ...Array.from({ length: 9 }, (_, i) => `  line ${i}`)];
  assert.equal(
    listFailures([
      { file: "a.test.ts", line: 3, name: "counts", error: error.join("\n") },
      { file: "", name: "the whole run", error: "It did not end." },
    ]),
    [
      "failed tests:",
      "  ✖ a.test.ts:3 counts",
      "    Error: because",
      ...[0, 1, 2, 3, 4].map((i) => `      line ${i}`),
      "  ✖ the whole run",
      "    It did not end.",
    ].join("\n"),
  );
});

test("if no test failed, nothing is listed", () => {
  assert.equal(listFailures([]), "");
});
