import assert from "node:assert/strict";
import { test } from "node:test";
import type { Edit } from "./apply-edits.ts";
import { isQuickEdit } from "./is-quick-edit.ts";

const text = "one two three\n".repeat(20_000);
const isQuick = (content: string, edits: readonly Edit[]) => isQuickEdit(content, edits, () => 0);
const withOne = (search: string, at: number) => `${text.slice(0, at)}${search}${text.slice(at)}`;

test("one exact match in a long text is a quick edit, even across two chunks", () => {
  for (const at of [0, 65_533, 65_536, 131_070, text.length])
    assert.ok(isQuick(withOne("four", at), [{ search: "four", replace: "4" }]), `at ${at}`);
});

test("a search that occurs never or more than once is not quick", () => {
  for (const search of ["four", "two", ""])
    assert.ok(!isQuick(text, [{ search, replace: "2" }]), search);
});

test("several edits and edits of every place are not quick", () => {
  const once = { search: "four", replace: "4" };
  assert.ok(!isQuick(withOne("four", 7), [once, once]));
  assert.ok(!isQuick(withOne("four", 7), [{ ...once, all: true }]));
});

test("a search that takes too long is not quick", () => {
  let ms = 0;
  const edits = [{ search: "four", replace: "4" }];
  assert.ok(!isQuickEdit(withOne("four", 7), edits, () => (ms += 10)));
});
