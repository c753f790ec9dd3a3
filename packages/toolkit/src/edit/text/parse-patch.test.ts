import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError } from "../../files/file-roots.ts";
import { parsePatch, patchedPaths } from "./parse-patch.ts";
import { patchText } from "./patch-text.ts";

test("patches with much white space, many files or many hunks are parsed quickly", () => {
  const started = performance.now();
  const spaces = " ".repeat(1_000_000);
  assert.deepEqual(patchedPaths(`*** Add File: a${spaces}b`), [`a${spaces}b`]);
  assert.equal(parsePatch(`*** Add File: a\n+x${"\n".repeat(1_000_000)}`).length, 1);
  assert.throws(() => parsePatch(`*** Add File: a\n${"\n".repeat(1_000_000)}x`), FileError);
  const files = Array.from({ length: 100_000 }, (_, n) => `*** Delete File: ${n}`).join("\n");
  assert.throws(() => parsePatch(files), /more than 200 files/);
  assert.equal(patchedPaths(files).length, 400);
  const hunks = `*** Update File: a\n${"@@\n-a\n+b\n".repeat(300_000)}`;
  assert.throws(() => parsePatch(hunks), /more than 1000 hunks/);
  const hunk = { anchors: ["x"], before: [" a"], after: ["b"], origins: [], isAtEnd: false };
  const text = "x\na\n".repeat(200_000);
  patchText(
    text,
    Array.from({ length: 1_000 }, () => hunk),
    "a",
  );
  assert.ok(performance.now() - started < 10_000);
});

test("a hunk at the end of the file is found among equal lines", () => {
  const hunk = { anchors: [], before: ["x", "x"], after: ["x", "y"], origins: [0], isAtEnd: true };
  assert.equal(patchText("x\nx\nx\n", [hunk], "a"), "x\nx\ny\n");
});

test("lines that a patch does not change keep their line ends and their white space", () => {
  const patched = (text: string, patch: string) => {
    const [file] = parsePatch(`*** Update File: a\n${patch}`);
    return patchText(text, file?.type === "update" ? file.hunks : [], "a");
  };
  assert.equal(patched("a \r\nb\nc\r\nd", " a\n-b\n+x\n c"), "a \r\nx\r\nc\r\nd");
  assert.equal(patched("  a\n  b\n", " a\n-b\n+x"), "  a\n  x\n");
  assert.equal(patched("a", "+b"), "a\nb");
  assert.equal(patched("", "+b"), "b\n");
  assert.equal(patched("a\n", "-a"), "");
  assert.equal(patched("a\r\nb", "+c"), "a\r\nb\r\nc");
  const long = "a\n".repeat(300_000);
  assert.equal(patched(`${long}b\n`, "-b\n+c"), `${long}c\n`);
});
