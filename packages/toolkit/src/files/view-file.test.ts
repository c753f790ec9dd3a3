import assert from "node:assert/strict";
import { copyFile, mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, toolOf } from "@capstan/core/testing";
import { fileTools } from "./file-tools.ts";
import { takeTail } from "./take-tail.ts";

const root = await mkdtemp(join(tmpdir(), "capstan-view-"));
const fixtures = join(import.meta.dirname, "../documents/testing/fixtures");
after(() => rm(root, { recursive: true }));

before(async () => {
  await writeFile(join(root, "log.txt"), "1\n2\n3\n4\n5\n");
  for (const kind of ["pdf", "docx", "xlsx", "pptx", "epub", "html"])
    await copyFile(join(fixtures, `report.${kind}`), join(root, `report.${kind}`));
  await copyFile(join(fixtures, "report.pdf"), join(root, "no-extension"));
  await writeFile(join(root, "broken.docx"), "PK\x03\x04 broken\0");
});

const group = fileTools({ roots: [{ path: root }] });
const view = (args: object) =>
  callForText(toolOf(group, "ViewFile"), { lineNumbers: false, markdown: false, ...args });
const failure = async (args: object): Promise<ToolErrorData> => {
  const result = await call(toolOf(group, "ViewFile"), { lineNumbers: false, ...args });
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
};

test("head and tail show the first and the last lines", async () => {
  assert.match(await view({ path: "log.txt", head: 2 }), /^1\n2\n\[Lines 1 to 2 of 5 lines\./);
  assert.equal(await view({ path: "log.txt", tail: 2 }), "4\n5\n[Lines 4 to 5 of 5 lines.]");
  assert.equal(
    await view({ path: "log.txt", tail: 1, lineNumbers: true }),
    "5\t5\n[Lines 5 to 5 of 5 lines.]",
  );
  assert.equal(await view({ path: "log.txt", tail: 50 }), "1\n2\n3\n4\n5\n");
});

test("two ranges in one call are an error", async () => {
  for (const range of [
    { head: 1, tail: 1 },
    { tail: 1, startLine: 2 },
    { head: 1, endLine: 2 },
  ])
    assert.equal((await failure({ path: "log.txt", ...range })).code, "invalid_range");
});

test("the last lines of a very large file are read from its end", async () => {
  const path = join(root, "large.log");
  const size = 80 * 1024 * 1024;
  await writeFile(path, "");
  await truncate(path, size);
  await using handle = await open(path, "r+");
  await handle.write("é last but one\nlast\n", size - 21);
  await handle.write("\n", size - 22);
  await handle.write("text\n", 0);
  assert.equal(
    await view({ path: "large.log", tail: 2, encoding: "utf-8" }),
    "é last but one\nlast\n[The last 2 lines of a file of 80 MB.]",
  );
  const numbered = { path: "large.log", tail: 2, encoding: "utf-8", lineNumbers: true };
  assert.equal((await failure(numbered)).code, "too_large");
});

test("the end of a file is read in blocks, up to a limit", async () => {
  const path = join(root, "blocks.txt");
  const lines = Array.from({ length: 30_000 }, (_, n) => `line ${n}`);
  const whole = `${lines.join("\n")}\n`;
  await writeFile(path, whole);
  await using handle = await open(path, "r");
  const options = { size: whole.length, encoding: "utf-8", signal: new AbortController().signal };
  const tail = (count: number, maxBytes = 1e9) =>
    takeTail(handle, { ...options, lines: count, maxBytes });
  for (const count of [1, 7_000, 29_999])
    assert.deepEqual(await tail(count), {
      text: `${lines.slice(-count).join("\n")}\n`,
      cut: false,
    });
  for (const count of [30_000, 99_999])
    assert.deepEqual(await tail(count), { text: whole, cut: false });
  assert.equal((await tail(20_000, 70_000)).cut, true);
});

test("documents are shown as Markdown, whole or by lines", async () => {
  for (const kind of ["pdf", "docx", "xlsx", "pptx", "epub"])
    assert.match(await view({ path: `report.${kind}` }), /Harbour/, kind);
  assert.match(await view({ path: "no-extension", head: 3 }), /\[Lines 1 to 3 of \d+ lines\./);
});

test("HTML is shown as source, or as Markdown if the call asks for it", async () => {
  assert.match(await view({ path: "report.html" }), /<table/);
  const markdown = await view({ path: "report.html", markdown: true });
  assert.match(markdown, /\| Basin \|/);
  assert.doesNotMatch(markdown, /<table/);
});

test("a corrupt document is an error with a reason", async () => {
  const failed = await failure({ path: "broken.docx" });
  assert.equal(failed.code, "unreadable_document");
  assert.match(failed.message, /not a valid ZIP archive/);
});

test("a pattern, a type and a depth select the entries of a list", async () => {
  const list = (args: object) =>
    callForText(toolOf(group, "ListFiles"), { path: ".", depth: 3, type: "any", ...args });
  assert.match(
    await list({ pattern: "report.{pdf,docx}" }),
    /: 2 files, 0 folders\nreport\.docx\nreport\.pdf$/,
  );
  assert.match(await list({ pattern: "*.none" }), /Nothing in \. matches/);
  // Files below folders that do not match must still be listed.
  assert.match(await list({ type: "file" }), /log\.txt/);
  assert.equal(await list({ type: "folder" }), "Nothing in . matches.");
  const failed = await call(toolOf(group, "ListFiles"), { path: ".", depth: 1, pattern: "{a" });
  assert.ok(isToolError(failed));
});
