import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { toolFolder } from "../testing/tool-folder.ts";
import { DeletedFiles } from "./deleted-files.ts";
import { createSource, readSource, saveSource } from "./source-file.ts";

async function hashOf(path: string): Promise<string> {
  const read = await readSource(path);
  assert.ok(read.status === "read");
  return read.hash;
}

test("a saved text replaces its base version, keeps the file's rights, and leaves no other file", async () => {
  const folder = await toolFolder({ "a.py": "old" });
  const path = join(folder, "a.py");
  chmodSync(path, 0o640);
  const basedOn = await hashOf(path);
  assert.deepEqual(await saveSource({ path, source: "new\r\nü", basedOn }), { status: "written" });
  assert.equal(readFileSync(path, "utf8"), "new\r\nü");
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(folder), ["a.py"]);
});

// Contract: scripts-76
test("a file that was changed or deleted meanwhile is not overwritten", async () => {
  const folder = await toolFolder({ "a.py": "old" });
  const path = join(folder, "a.py");
  const basedOn = await hashOf(path);
  writeFileSync(path, "theirs");
  assert.equal((await saveSource({ path, source: "mine", basedOn })).status, "conflict");
  assert.equal(readFileSync(path, "utf8"), "theirs");
  renameSync(path, join(folder, "b.py"));
  assert.equal((await saveSource({ path, source: "mine", basedOn })).status, "conflict");
  assert.deepEqual(readdirSync(folder), ["b.py"]);
});

test("a repeated save succeeds without another write", async () => {
  const path = join(await toolFolder({ "a.py": "old" }), "a.py");
  const basedOn = await hashOf(path);
  await saveSource({ path, source: "new", basedOn });
  const { mtimeMs } = statSync(path);
  assert.deepEqual(await saveSource({ path, source: "new", basedOn }), { status: "written" });
  assert.equal(statSync(path).mtimeMs, mtimeMs);
});

test("if two users save the same file at the same time, one succeeds and the other gets a conflict", async () => {
  const folder = await toolFolder({ "a.py": "old" });
  const path = join(folder, "a.py");
  const basedOn = await hashOf(path);
  await saveSource({ path, source: "first", basedOn });
  const second = await saveSource({ path, source: "second", basedOn });
  assert.equal(second.status, "conflict");
  assert.equal(readFileSync(path, "utf8"), "first");
});

// Contract: scripts-75
test("files and folders that are links are neither read nor written", async () => {
  const folder = await toolFolder({ "outside/secret.py": "secret", "tools/a.py": "a" });
  const secret = join(folder, "outside/secret.py");
  const link = join(folder, "tools/link.py");
  symlinkSync(secret, link);
  assert.equal((await readSource(link)).status, "refused");
  const basedOn = await hashOf(secret);
  assert.equal((await saveSource({ path: link, source: "x", basedOn })).status, "refused");
  symlinkSync(join(folder, "outside"), join(folder, "tools/plug"));
  const through = join(folder, "tools/plug/secret.py");
  assert.equal((await saveSource({ path: through, source: "x", basedOn })).status, "refused");
  const kept = new DeletedFiles(join(folder, "kept"));
  assert.equal((await kept.remove(link)).status, "refused");
  assert.equal((await kept.remove(through)).status, "refused");
  const created = await createSource({
    folder: join(folder, "tools"),
    name: "link.py",
    source: "",
  });
  assert.equal(created.status, "conflict");
  assert.equal(readFileSync(secret, "utf8"), "secret");
});

// Contract: scripts-75
test("a new file has a name without a folder and never replaces another file", async () => {
  const folder = await toolFolder({ "a.py": "a" });
  for (const name of ["../b.py", "x/b.py", "/b.py", "..", ".b.py", "_b.py", "", "a\0.py", "ü.py"])
    assert.equal((await createSource({ folder, name, source: "" })).status, "refused", name);
  assert.equal((await createSource({ folder, name: "a.py", source: "" })).status, "conflict");
  const created = await createSource({ folder: join(folder, "later"), name: "b.py", source: "b" });
  assert.deepEqual(created, { status: "written", path: join(folder, "later/b.py") });
});

test("a file that is too large or not text is not shown, because saving would damage it", async () => {
  const folder = await toolFolder({ "a.py": "a" });
  const path = join(folder, "a.py");
  const basedOn = await hashOf(path);
  const large = "x".repeat(2 * 1024 * 1024 + 1);
  assert.equal((await saveSource({ path, source: large, basedOn })).status, "refused");
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00]));
  assert.equal((await readSource(path)).status, "refused");
  writeFileSync(path, large);
  assert.equal((await readSource(path)).status, "refused");
  assert.deepEqual(await readSource(join(folder, "none.py")), { status: "missing" });
});

// Contract: scripts-80
test("a deleted file is restored unchanged, unless another file is in its place", async () => {
  const folder = await toolFolder({ "tools/a.py": "first" });
  const path = join(folder, "tools/a.py");
  const kept = join(folder, "kept");
  assert.deepEqual(await new DeletedFiles(kept).remove(path), { status: "removed" });
  assert.deepEqual(readdirSync(join(folder, "tools")), []);
  const matches = (one: string) => one === path;
  // A restarted server has it, too.
  const later = new DeletedFiles(kept);
  assert.equal(await later.restore(() => false), undefined);
  writeFileSync(path, "another");
  assert.equal((await later.restore(matches))?.status, "conflict");
  assert.equal(readFileSync(path, "utf8"), "another");
  await later.remove(path);
  assert.deepEqual(await later.restore(matches), { status: "written", path });
  assert.equal(readFileSync(path, "utf8"), "another");
  assert.equal(await later.restore(matches), undefined);
});

test("a deleted file is restored with any valid name and with its own rights", async () => {
  const folder = await toolFolder({ "tools/größe 2.py": "x" });
  const path = join(folder, "tools/größe 2.py");
  chmodSync(path, 0o600);
  const deleted = new DeletedFiles(join(folder, "kept"));
  await deleted.remove(path);
  assert.deepEqual(await deleted.restore(() => true), { status: "written", path });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a path that is neither a file nor a folder is refused without waiting", async () => {
  const folder = await toolFolder({});
  const pipe = join(folder, "a.py");
  execFileSync("mkfifo", [pipe]);
  assert.equal((await readSource(pipe)).status, "refused");
  const source = "x";
  assert.equal((await saveSource({ path: pipe, source, basedOn: "" })).status, "refused");
  assert.equal((await new DeletedFiles(join(folder, "kept")).remove(pipe)).status, "refused");
});

test("the newest hundred deleted files are kept, readable for their owner only", async () => {
  const folder = await toolFolder();
  const tools = join(folder, "tools");
  mkdirSync(tools);
  const deleted = new DeletedFiles(join(folder, "kept"));
  for (let n = 0; n < 103; n++) {
    writeFileSync(join(tools, `a${n}.py`), "");
    await deleted.remove(join(tools, `a${n}.py`));
  }
  assert.equal(readdirSync(join(folder, "kept")).length, 100);
  assert.equal(statSync(join(folder, "kept")).mode & 0o777, 0o700);
  assert.equal((await deleted.restore((path) => path.endsWith("/a102.py")))?.status, "written");
});
