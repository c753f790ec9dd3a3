import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { test } from "node:test";
import { checkSource } from "../author/check-source.ts";
import { hiddenCharacters } from "./hidden-characters.ts";
import { readScripts, type ScriptFile } from "../read/read-scripts.ts";
import { scanFolder } from "../read/scan-folder.ts";
import { fakeParsers, toolFolder } from "../testing/tool-folder.ts";
import { openToolLibrary } from "../library/tool-library.ts";

const summaryOf = (problems: readonly { readonly line?: number; readonly message: string }[]) =>
  problems.map(({ line, message }) => `${line ?? "-"} ${message.split(":")[0]}`);

test("hidden characters are reported by line, except those of ordinary writing", () => {
  assert.deepEqual(
    summaryOf(hiddenCharacters("one\r\ntwo\rthree\nfo\u202Eur\u2066\u202E\n\u200B\u0000")),
    [
      "2 Hidden characters (U+000D)",
      "4 Hidden characters (U+202E, U+2066)",
      "5 Hidden characters (U+200B, U+0000)",
    ],
  );
  const plain = "def größe(大):\r\n\treturn '👍🏽 ⚠️ 👨‍👩‍👧 ❤️‍🔥'\n";
  assert.deepEqual(hiddenCharacters(plain), []);
  const long = hiddenCharacters("\u200B\n".repeat(5_000));
  assert.equal(long.length, 11);
  assert.match(long.at(-1)?.message ?? "", /4990 more lines/);
});

// Contract: scripts-14
test("a script reports hidden characters in it and its private files, also from the cache and in a check", async () => {
  const folder = await toolFolder({
    "a.py": "one \u202E",
    "b.ps1": "\uFEFFtwo \u200B",
    "broken.py": "broken\u2066",
    "_own.py": "x\n\ry",
    "_data.txt": "\u202E",
  });
  const read = async () => {
    const { files } = await scanFolder(folder);
    const options = { parsers: fakeParsers(), cacheSecret: "ours" };
    const outcomes = await readScripts(files as readonly ScriptFile[], options);
    return outcomes.flatMap((one) => {
      const { path, problems } = one.status === "read" ? one.script : one;
      return summaryOf(problems)
        .filter((text) => /Hidden|_own/.test(text))
        .map((text) => `${basename(path)} ${text}`);
    });
  };
  const expected = new Set([
    "a.py - _own.py, line 2",
    "a.py 1 Hidden characters (U+202E)",
    "b.ps1 - _own.py, line 2",
    "b.ps1 1 Hidden characters (U+200B)",
    "broken.py - _own.py, line 2",
    "broken.py 1 Hidden characters (U+2066)",
  ]);
  assert.deepEqual(new Set(await read()), expected);
  assert.deepEqual(new Set(await read()), expected, "from the cache");
  const source = "one\rtwo";
  const checked = await checkSource(fakeParsers(), { language: "python", source }, undefined);
  assert.deepEqual(summaryOf(checked.problems), ["1 Hidden characters (U+000D)"]);
});

// Contract: scripts-14
test("a module reports its hidden characters before a user approves it", async () => {
  const folder = await toolFolder({ "m.ts": "export const a = 1;\n// \u202E\n" });
  const library = await openToolLibrary({
    folders: [folder],
    parsers: fakeParsers(),
    run: async () => ({ value: null }),
    watch: false,
  });
  const [file] = library.files;
  assert.equal(file?.path, join(folder, "m.ts"));
  assert.ok(summaryOf(file.problems).includes("2 Hidden characters (U+202E)"));
  await library.close();
});
