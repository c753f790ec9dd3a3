import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError } from "../../files/file-error.ts";
import { diffText } from "./diff-text.ts";
import { runDiff, runEditJob } from "./run-edit-job.ts";

/** Runs `work`, and returns its result and whether timers ran meanwhile. */
async function watched<T>(work: () => Promise<T>) {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  try {
    return { result: await work(), isShared: turns > 0 };
  } finally {
    clearInterval(timer);
  }
}

const lines = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, line) => `${prefix} ${line}\n`).join("");

test("the preview of a change of many lines does not block the event loop", async () => {
  const [before, after] = [lines(600, "one"), lines(600, "two")];
  const { result, isShared } = await watched(() => runDiff(before, after));
  assert.ok(isShared);
  assert.equal(result, await diffText(before, after));
});

test("a long text is edited without blocking the event loop, with the same errors", async () => {
  const text = lines(40_000, "line");
  const edit = (search: string) =>
    runEditJob({ type: "edit", text, edits: [{ search, replace: "new" }] });
  const { result, isShared } = await watched(() => edit("  line 7"));
  assert.ok(isShared);
  assert.deepEqual(result.lines, [8]);
  await assert.rejects(
    edit("line"),
    (error) => error instanceof FileError && error.data.code === "ambiguous_match",
  );
});

test("a search that almost matches everywhere does not block the event loop", async () => {
  const text = `${"a".repeat(3_000_000)}\n${"a".repeat(1_000)}b${"a".repeat(999)}\n`;
  const search = `${"a".repeat(1_000)}b${"a".repeat(999)}`;
  const job = { type: "edit", text, edits: [{ search, replace: "new" }] } as const;
  const { result, isShared } = await watched(() => runEditJob(job));
  assert.ok(isShared);
  assert.deepEqual(result.lines, [2]);
});
