import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileRoots } from "../../files/file-roots.ts";
import { checkExpected } from "./apply-operations.ts";
import { openTarget } from "./open-target.ts";
import { sha256 } from "./sha256.ts";

test("a file whose content differs from the expected bytes or digest counts as changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-expected-"));
  try {
    await writeFile(join(folder, "a.txt"), "text");
    const roots = await fileRoots({ roots: [{ path: folder }] }, { paths: [], hosts: [] });
    await using target = await openTarget(roots, "a.txt", {});
    for (const content of ["text", "Text", "tex", "text ", ""].map((text) => Buffer.from(text))) {
      for (const expects of [{ content }, { sha256: sha256(content) }]) {
        const checked = checkExpected(target, "a.txt", expects);
        if (content.toString() === "text") assert.equal(await checked, 4);
        else await assert.rejects(checked, /"a\.txt" was changed meanwhile/);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
