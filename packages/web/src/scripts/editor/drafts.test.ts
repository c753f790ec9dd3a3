import assert from "node:assert/strict";
import { test } from "node:test";
import { createRoot } from "solid-js";
import { createDraft } from "./drafts.ts";

const draft = (source = "one\n", hash = "h1") => createRoot(() => createDraft(source, hash));
const file = (source: string, hash: string) => ({ source, source_hash: hash });

// Contract: scripts-76
test("a file that changes on disk is shown; with unsaved text, both versions are kept", () => {
  const clean = draft();
  clean.follow(file("two", "h2"));
  assert.deepEqual([clean.text(), clean.isDirty(), clean.conflict()], ["two", false, null]);
  const dirty = draft();
  dirty.setText("mine");
  dirty.follow(file("theirs", "h2"));
  assert.equal(dirty.text(), "mine");
  assert.deepEqual(dirty.conflict(), { source: "theirs", hash: "h2" });
  dirty.keepMine();
  assert.deepEqual(dirty.toSave(), { source: "mine", based_on: "h2" });
  assert.equal(dirty.conflict(), null);
});

test("the file's version replaces the draft if the user chooses it", () => {
  const one = draft();
  one.setText("mine");
  one.follow(file("theirs", "h2"));
  one.takeTheirs();
  assert.deepEqual([one.text(), one.isDirty()], ["theirs", false]);
});

test("equal changes on both sides are not a conflict", () => {
  const one = draft();
  one.setText("same");
  one.follow(file("same", "h2"));
  assert.deepEqual([one.conflict(), one.isDirty()], [null, false]);
});

test("text that was typed during saving is still unsaved", () => {
  const one = draft();
  one.setText("sent");
  one.setText("sent and more");
  one.saved(file("sent", "h2"));
  assert.equal(one.isDirty(), true);
  assert.deepEqual(one.toSave(), { source: "sent and more", based_on: "h2" });
});

test("different line endings alone are not unsaved text", () => {
  const one = draft("a\r\nb", "h1");
  assert.equal(one.isDirty(), false);
  one.setText("a\nc");
  assert.equal(one.toSave().source, "a\r\nc");
});
