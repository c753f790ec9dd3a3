import assert from "node:assert/strict";
import { test } from "node:test";
import { fileChanges } from "./file-changes.ts";

test("new, deleted and changed files since an approval are distinguished", () => {
  const file = (name: string, text: string | null, hash = `sha256:${text}`) => ({
    name,
    text,
    bytes: text?.length ?? 9,
    hash,
  });
  assert.deepEqual(
    fileChanges(
      [file("a", "1"), file("b", "1"), file("gone", "x")],
      [file("a", "1"), file("b", "2"), file("empty", ""), file("new", null, "sha256:n")],
    ),
    [
      { name: "b", before: "1", after: "2" },
      { name: "empty", before: "", after: "(an empty file)" },
      { name: "gone", before: "x", after: "" },
      { name: "new", before: "", after: "(9 bytes that are not shown, sha256:n)" },
    ],
  );
  const changed = fileChanges([file("big", null, "sha256:1")], [file("big", null, "sha256:2")]);
  assert.equal(changed.length, 1, "a change that cannot be shown and has the same length");
  assert.notEqual(changed[0]?.before, changed[0]?.after);
});
