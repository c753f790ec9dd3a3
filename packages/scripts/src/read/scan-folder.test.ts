import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";
import { readScriptFiles } from "./script-files.ts";
import { scanFolder } from "./scan-folder.ts";
import { toolFolder } from "../testing/tool-folder.ts";

async function found(folder: string): Promise<readonly string[]> {
  return (await scanFolder(folder)).files.map(({ path }) => relative(folder, path));
}

// Contract: scripts-1
test("files of tools and plugin folders with a main file are found, without private and generated ones", async () => {
  const folder = await toolFolder({
    "b.py": "",
    "a.ps1": "",
    "c.ts": "",
    "d.mjs": "",
    "plug/main.py": "",
    "plug/main.ts": "",
    "plug/helper.py": "",
    "_private.py": "",
    "_folder/main.py": "",
    ".hidden.py": "",
    "types.d.ts": "",
    "c.test.ts": "",
    "readme.md": "",
    "b.py.tool.json": "",
    "node_modules/x/main.py": "",
    "__pycache__/main.py": "",
  });
  assert.deepEqual(await found(folder), [
    "a.ps1",
    "b.py",
    "c.ts",
    "d.mjs",
    "plug/main.py",
    "plug/main.ts",
  ]);
});

// Contract: scripts-4
test("a folder of scripts without a main file is reported, because it was probably meant to have one", async () => {
  const folder = await toolFolder({ "plug/tool.py": "", "docs/readme.md": "" });
  const { problems } = await scanFolder(folder);
  assert.equal(problems.length, 1);
  assert.match(problems[0]?.message ?? "", /main\.py/);
});

// Contract: scripts-12
test("links are refused: a file, a folder, a plugin's main file, and a helper", async () => {
  const outside = await toolFolder({ "secret.py": "", "plug/main.py": "" });
  const folder = await toolFolder({ "fine.py": "", "real/readme.md": "", "own/main.py": "" });
  await symlink(join(outside, "secret.py"), join(folder, "linked.py"));
  await symlink(join(outside, "plug"), join(folder, "plug"));
  await symlink(join(outside, "secret.py"), join(folder, "real/main.py"));
  await symlink(join(outside, "secret.py"), join(folder, "own/helper.py"));
  const { files, problems } = await scanFolder(folder);
  assert.deepEqual(
    files.map(({ path }) => relative(folder, path)),
    ["fine.py", "own/main.py"],
  );
  assert.deepEqual(
    problems.map(({ path, severity }) => [relative(folder, path), severity]),
    [
      ["linked.py", "error"],
      ["plug", "error"],
      ["real/main.py", "error"],
    ],
  );
  const own = { folder: join(folder, "own"), entry: "main.py", isPlugin: true };
  const outcome = await readScriptFiles(own);
  assert.match(outcome.status === "refused" ? outcome.message : "", /^helper\.py is a link/);
});

test("a missing folder has no tools", async () => {
  assert.deepEqual(await scanFolder(join(await toolFolder(), "none")), { files: [], problems: [] });
});
