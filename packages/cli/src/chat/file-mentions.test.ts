import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findFileMentions } from "./file-mentions.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-mentions-"));
  await Promise.all(["a.md", "my notes.md"].map((name) => writeFile(join(folder, name), "")));
});
after(() => rm(folder, { recursive: true }));

test("files are found by their names, without the punctuation of the sentence", async () => {
  const text = 'Compare @a.md, @"my notes.md" and @a.md. Ask @anna or me@a.md about @b/c.md!';
  assert.deepEqual(await findFileMentions(text, folder), {
    paths: ["a.md", "my notes.md"],
    missing: ["b/c.md"],
  });
});

test("a folder is not attached", async () => {
  assert.deepEqual(await findFileMentions("@./", folder), { paths: [], missing: ["./"] });
});
