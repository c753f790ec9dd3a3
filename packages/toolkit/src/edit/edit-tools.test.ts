import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { isToolError, type ToolContext, type ToolErrorData } from "@capstan/core";
import { fakeContext, toolOf } from "@capstan/core/testing";
import { FileError, fileRoots } from "../files/file-roots.ts";
import { ChangeFolder } from "./change/change-record.ts";
import { moveEntry } from "./change/move-entry.ts";
import { type EditToolsOptions, openTarget } from "./change/open-target.ts";
import { copyTarget, readTarget } from "./change/read-target.ts";
import { editTools } from "./edit-tools.ts";
import type { ChangeResult } from "./permission.ts";

const base = mkdtempSync(join(tmpdir(), "capstan-edit-"));
after(() => rmSync(base, { recursive: true }));

const root = join(base, "root");
const options: EditToolsOptions = {
  roots: [{ path: root }],
  changes: join(base, "changes"),
  protected: [join(root, "capstan.config.json"), join(root, "tools")],
  deny: [join(root, "data")],
};
const group = editTools(options);

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  const files: { readonly [path: string]: string } = {
    "a.txt": "one\ntwo\nthree\n",
    "src/app.ts": "function app() {\n  return 1;\n}\n",
    "src/other.ts": "other\n",
    "data/private.txt": "secret\n",
    "tools/tool.py": "tool\n",
    "capstan.config.json": "{}\n",
    ".git/config": "git\n",
    "secrets/key": "key\n",
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
});

interface Given {
  readonly context?: Partial<ToolContext>;
  readonly of?: typeof group;
}

/**
 * Sets the state of a change as if the process had been killed before it stored the last record.
 */
function cutOff(change: string): void {
  const entry = readdirSync(options.changes, { recursive: true, withFileTypes: true }).find(
    (one) => one.name === "change.json" && one.parentPath.endsWith(change),
  );
  const path = join(entry?.parentPath ?? "", "change.json");
  const record = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...record, status: "begun" }));
}

let calls = 0;
const noRules = { paths: [], hosts: [] };

async function run(name: string, args: object, { context = {}, of = group }: Given = {}) {
  const tool = toolOf(of, name);
  const merged = {
    ...fakeContext(),
    denied: () => noRules,
    idempotencyKey: `key-${calls++}`,
    ...context,
  };
  return tool.execute?.({ ...args }, merged);
}

async function changed(name: string, args: object, given?: Given): Promise<ChangeResult> {
  const result = await run(name, args, given);
  assert.ok(!isToolError(result), JSON.stringify(result));
  return result as ChangeResult;
}

async function failed(name: string, args: object, given?: Given): Promise<ToolErrorData> {
  const result = await run(name, args, given);
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const has = (path: string): boolean => existsSync(join(root, path));
const write = (path: string, content: string | Uint8Array): void =>
  writeFileSync(join(root, path), content);

/** Returns all paths with their contents, to check that no file has changed. */
function tree(folder = root): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${readFileSync(path, "latin1")}` : path;
    })
    .toSorted();
}

test("WriteFile creates a file with its folders, and replaces or extends one only if asked to", async () => {
  await changed("WriteFile", { path: "new/deep/b.txt", content: "b\n", mode: "create" });
  assert.equal(read("new/deep/b.txt"), "b\n");
  const problem = await failed("WriteFile", { path: "a.txt", content: "x", mode: "create" });
  assert.equal(problem.code, "exists");
  await changed("WriteFile", { path: "a.txt", content: "x", mode: "overwrite" });
  assert.equal(read("a.txt"), "x");
  await changed("WriteFile", { path: "a.txt", content: "y\n", mode: "append" });
  assert.equal(read("a.txt"), "x\ny\n");
  write("crlf.txt", "a\r\nb\r\n");
  await changed("WriteFile", { path: "crlf.txt", content: "c\nd\n", mode: "append" });
  assert.equal(read("crlf.txt"), "a\r\nb\r\nc\r\nd\r\n");
});

test("EditFile keeps encoding, byte order mark and permissions", async () => {
  write("utf16.txt", Buffer.from("\uFEFFhé\r\nx\r\n", "utf16le"));
  await changed("EditFile", { path: "utf16.txt", edits: [{ search: "hé", replace: "hö" }] });
  assert.equal(readFileSync(join(root, "utf16.txt"), "utf16le"), "\uFEFFhö\r\nx\r\n");
  chmodSync(join(root, "src/app.ts"), 0o755);
  const { text } = await changed("EditFile", {
    path: "src/app.ts",
    edits: [{ search: "return 1;", replace: "return 2;" }],
  });
  assert.equal(text, "Edited src/app.ts, line 2.");
  assert.equal(read("src/app.ts"), "function app() {\n  return 2;\n}\n");
  assert.equal(statSync(join(root, "src/app.ts")).mode & 0o777, 0o755);
});

test("EditFile rejects files that it cannot write back unchanged", async () => {
  write("latin1.txt", Uint8Array.of(0x63, 0xe9, 0x0a));
  write("blob.bin", Uint8Array.of(1, 0, 2, 0));
  const edits = [{ search: "c", replace: "d" }];
  assert.equal((await failed("EditFile", { path: "latin1.txt", edits })).code, "unknown_encoding");
  assert.equal((await failed("EditFile", { path: "blob.bin", edits })).code, "binary_file");
  assert.equal((await failed("EditFile", { path: "none.txt", edits })).code, "not_found");
  assert.equal((await failed("EditFile", { path: "src", edits })).code, "not_a_file");
});

test("each change can be undone once, and its Undo can be undone", async () => {
  const start = tree();
  const made = [
    await changed("WriteFile", { path: "b.txt", content: "b", mode: "create" }),
    await changed("WriteFile", { path: "a.txt", content: "new", mode: "overwrite" }),
    await changed("EditFile", { path: "src/app.ts", edits: [{ search: "1", replace: "2" }] }),
    await changed("MoveFile", { from: "src/other.ts", to: "lib/moved.ts" }),
    await changed("CopyFile", { from: "lib/moved.ts", to: "copy.ts" }),
    await changed("MakeDirectory", { path: "empty/inner" }),
    await changed("RemoveFile", { path: "secrets" }),
  ];
  const end = tree();
  assert.ok(!has("secrets") && has("lib/moved.ts") && has("empty/inner") && has("copy.ts"));
  const undone: ChangeResult[] = [];
  for (const { change } of made.toReversed()) undone.push(await changed("Undo", { change }));
  assert.deepEqual(tree(), start);
  assert.equal((await failed("Undo", { change: made[0]?.change })).code, "already_undone");
  for (const { change } of undone.toReversed()) await changed("Undo", { change });
  assert.deepEqual(tree(), end);
});

test("Undo fails if a file was changed since, and then changes no file", async () => {
  const { change } = await changed("WriteFile", { path: "a.txt", content: "x", mode: "overwrite" });
  write("a.txt", "someone else's");
  assert.equal((await failed("Undo", { change })).code, "changed");
  assert.equal(read("a.txt"), "someone else's");
  const created = await changed("WriteFile", { path: "n.txt", content: "x", mode: "create" });
  write("n.txt", "changed");
  assert.equal((await failed("Undo", { change: created.change })).code, "changed");
  const folder = await changed("MakeDirectory", { path: "made" });
  write("made/file", "");
  assert.equal((await failed("Undo", { change: folder.change })).code, "not_empty");
});

test("another user cannot undo a change, and ids are not paths", async () => {
  const { change } = await changed("RemoveFile", { path: "a.txt" });
  const context = { principal: { id: "other" } };
  assert.equal((await failed("Undo", { change }, { context })).code, "unknown_change");
  assert.equal((await failed("Undo", { change: "../../x" })).code, "unknown_change");
  assert.ok(!has("a.txt"));
});

test("ApplyPatch changes several files, or none", async () => {
  const patch = `*** Begin Patch
*** Add File: new/file.txt
+first
+second
*** Update File: src/app.ts
*** Move to: src/main.ts
@@ function app() {
-  return 1;
+  return 3;
 }
*** Delete File: src/other.ts
*** End Patch`;
  const start = tree();
  const { change, text } = await changed("ApplyPatch", { patch });
  assert.equal(read("new/file.txt"), "first\nsecond\n");
  assert.equal(read("src/main.ts"), "function app() {\n  return 3;\n}\n");
  assert.ok(!has("src/app.ts") && !has("src/other.ts"));
  assert.match(text, /Edited src\/app\.ts, now src\/main\.ts\./);
  await changed("Undo", { change });
  assert.deepEqual(tree(), start);

  const before = tree();
  const broken = patch.replace("src/other.ts", "src/none.ts");
  assert.equal((await failed("ApplyPatch", { patch: broken })).code, "not_found");
  assert.deepEqual(tree(), before);
});

test("the error of ApplyPatch names the hunk and the line that do not match", async () => {
  const update = (body: string) => `*** Update File: a.txt\n${body}`;
  const hunk = await failed("ApplyPatch", { patch: update("@@\n-two\n-four\n+x") });
  assert.equal(hunk.code, "no_match");
  assert.match(hunk.message, /Hunk 1 for "a\.txt".*\n2\ttwo/s);
  const bad = await failed("ApplyPatch", { patch: update("two") });
  assert.match(bad.message, /Line 2 of the patch: expected a line that starts with/);
  assert.match((await failed("ApplyPatch", { patch: "hello" })).message, /^Line 1 of the patch/);
  const twice = `${update("-one\n+1")}\n${update("-two\n+2")}`;
  assert.match((await failed("ApplyPatch", { patch: twice })).message, /twice/);
  await changed("ApplyPatch", { patch: update("@@\n-one\n+1\n@@\n+end\n*** End of File") });
  assert.equal(read("a.txt"), "1\ntwo\nthree\nend\n");
});

test("paths that are outside the roots, hidden, denied or protected cannot be changed by any name", async () => {
  mkdirSync(join(base, "outside"), { recursive: true });
  writeFileSync(join(base, "outside/x.txt"), "outside\n");
  symlinkSync(join(base, "outside"), join(root, "link-out"));
  symlinkSync(join(base, "outside/x.txt"), join(root, "link-file"));
  symlinkSync("gone", join(root, "link-broken"));
  symlinkSync("capstan.config.json", join(root, "link-config"));
  linkSync(join(root, "capstan.config.json"), join(root, "hard-config"));
  linkSync(join(root, "tools/tool.py"), join(root, "hard-tool"));
  const before = [...tree(), ...tree(join(base, "outside"))];
  const cases: readonly (readonly [string, string])[] = [
    ["../outside/x.txt", "outside_roots"],
    [join(base, "outside/x.txt"), "outside_roots"],
    ["link-out/x.txt", "outside_roots"],
    ["link-out/new.txt", "outside_roots"],
    ["link-file", "outside_roots"],
    ["link-broken", "broken_link"],
    [".git/config", "hidden_path"],
    [".env", "hidden_path"],
    ["data/private.txt", "not_found"],
    ["data/new.txt", "not_found"],
    ["capstan.config.json", "protected_path"],
    ["link-config", "protected_path"],
    ["hard-config", "protected_path"],
    ["tools/tool.py", "protected_path"],
    ["tools/new.py", "protected_path"],
    ["hard-tool", "protected_path"],
    [".", "is_root"],
  ];
  for (const [path, code] of cases) {
    const problem = await failed("WriteFile", { path, content: "x", mode: "overwrite" });
    assert.equal(problem.code, code, path);
  }
  for (const path of ["tools", "data", ".git", "capstan.config.json", "..", "."])
    await failed("RemoveFile", { path });
  for (const to of ["tools/x.txt", ".hidden", "../x.txt", "link-out/x.txt", "data/x"]) {
    await failed("MoveFile", { from: "a.txt", to });
    await failed("CopyFile", { from: "a.txt", to });
  }
  await failed("MoveFile", { from: "tools", to: "elsewhere" });
  await failed("CopyFile", { from: "data/private.txt", to: "copy.txt" });
  await failed("MoveFile", { from: "src", to: "src/inner/src" });
  assert.deepEqual([...tree(), ...tree(join(base, "outside"))], before);
});

test("removing or moving a link affects the link, not its target", async () => {
  symlinkSync("a.txt", join(root, "link-in"));
  await changed("MoveFile", { from: "link-in", to: "link-moved" });
  assert.equal(readlinkSync(join(root, "link-moved")), "a.txt");
  const { change } = await changed("RemoveFile", { path: "link-moved" });
  assert.ok(has("a.txt"));
  await changed("Undo", { change });
  assert.equal(readlinkSync(join(root, "link-moved")), "a.txt");
});

test("paths that a rule denies cannot be changed, copied, or moved with their folder", async () => {
  const context = { denied: () => ({ paths: ["secrets/**"], hosts: [] }) };
  const before = tree();
  const args = { path: "secrets/key", content: "x", mode: "overwrite" };
  assert.equal((await failed("WriteFile", args, { context })).code, "denied_path");
  assert.equal(
    (await failed("MoveFile", { from: "secrets", to: "s" }, { context })).code,
    "denied_path",
  );
  assert.equal((await failed("RemoveFile", { path: "secrets" }, { context })).code, "denied_path");
  await failed("CopyFile", { from: "secrets/key", to: "copy" }, { context });
  assert.deepEqual(tree(), before);
});

test("a repeated call makes its change once, and an interrupted one starts again", async () => {
  const context = { idempotencyKey: "once" };
  const args = { path: "a.txt", content: "more\n", mode: "append" };
  const first = await changed("WriteFile", args, { context });
  const second = await changed("WriteFile", args, { context });
  assert.equal(second.change, first.change);
  assert.equal(read("a.txt"), "one\ntwo\nthree\nmore\n");

  // The state after a process was killed between the first and the second file.
  const patch =
    "*** Delete File: src/other.ts\n*** Update File: src/app.ts\n-  return 1;\n+  return 4;";
  const cut = { idempotencyKey: "cut" };
  const done = await changed("ApplyPatch", { patch }, { context: cut });
  const file = readdirSync(options.changes, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.name === "change.json" && entry.parentPath.endsWith(done.change),
  );
  const path = join(file?.parentPath ?? "", "change.json");
  const record = JSON.parse(readFileSync(path, "utf8")) as { readonly steps: readonly unknown[] };
  writeFileSync(join(root, "src/app.ts"), "function app() {\n  return 1;\n}\n");
  writeFileSync(path, JSON.stringify({ ...record, status: "begun" }));
  await changed("ApplyPatch", { patch }, { context: cut });
  assert.match(read("src/app.ts"), /return 4/);
  await changed("Undo", { change: done.change });
  assert.equal(read("src/other.ts"), "other\n");
  assert.match(read("src/app.ts"), /return 1/);
});

test("calls that change the same file have the same lock, however the path is written", () => {
  const locksOf = (name: string, args: object): readonly string[] => {
    const { effects } = toolOf(group, name);
    return typeof effects === "object" ? effects.locks(args as never) : [];
  };
  const lock = locksOf("WriteFile", { path: "./src/../a.txt", content: "", mode: "create" });
  assert.deepEqual(
    locksOf("EditFile", { path: join(root, "a.txt"), edits: [{ search: "a", replace: "" }] }),
    lock,
  );
  assert.deepEqual(locksOf("ApplyPatch", { patch: "*** Delete File: a.txt" }), lock);
});

test("a wider approval covers the files of one folder", () => {
  const scope = (path: string) =>
    toolOf(group, "WriteFile").permission?.grantScope?.({ path, content: "", mode: "create" });
  assert.deepEqual(scope("src/app.ts"), { when: { path: "src/**" }, title: "files in src" });
  assert.deepEqual(scope("a.txt"), { when: { path: { equals: "a.txt" } }, title: "a.txt" });
  assert.deepEqual(scope("*/a"), { when: { path: { equals: "*/a" } }, title: "*/a" });
});

async function effect(name: string, args: object): Promise<unknown> {
  const { preview } = toolOf(group, name).permission ?? {};
  const { principal, signal } = fakeContext();
  return preview?.(args as never, { principal, signal, files: [], denied: () => noRules });
}

test("an approval request shows the diff of a file, or one line for other operations", async () => {
  const edits = [{ search: "two", replace: "2" }];
  assert.equal(
    await effect("EditFile", { path: "a.txt", edits }),
    "a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
  );
  const overwrite = { path: "a.txt", content: "one\n", mode: "overwrite" };
  assert.match(String(await effect("WriteFile", overwrite)), /^a\.txt\n.*\n one\n-two\n-three$/);
  for (const [name, args, text] of [
    ["WriteFile", { path: "n.txt", content: "", mode: "create" }, "Creates n.txt."],
    [
      "WriteFile",
      { path: "x/n.txt", content: "", mode: "create" },
      "Creates x/n.txt and its folder.",
    ],
    ["RemoveFile", { path: "src" }, "Removes the folder src with 2 entries (37 bytes)."],
    ["RemoveFile", { path: "a.txt" }, "Removes a.txt (14 bytes)."],
    ["MoveFile", { from: "src", to: "lib" }, "Moves src to lib."],
    ["CopyFile", { from: "a.txt", to: "b.txt" }, "Creates b.txt."],
    ["MakeDirectory", { path: "made" }, "Creates the folder made."],
  ] as const)
    assert.equal(await effect(name, args), text, name);
  const problem = await effect("EditFile", {
    path: "a.txt",
    edits: [{ search: "no", replace: "" }],
  });
  assert.ok(isToolError(problem) && problem.code === "no_match");
  assert.ok(isToolError(await effect("WriteFile", { path: "a.txt", content: "", mode: "create" })));
});

test("the preview of an Undo is shown, including that of a patch that moved a file", async () => {
  const patch =
    "*** Update File: src/app.ts\n*** Move to: main.ts\n-  return 1;\n+  return 2;\n*** Delete File: a.txt";
  const { change } = await changed("ApplyPatch", { patch });
  const text = String(await effect("Undo", { change }));
  assert.match(text, /^Restores a\.txt\.\nMoves main\.ts to src\/app\.ts\.\n/);
  assert.match(text, /-  return 2;\n\+  return 1;/);
});

test("a path through a link is rejected, so that an approval for a folder covers only that folder", async () => {
  symlinkSync("src", join(root, "link-src"));
  symlinkSync("../a.txt", join(root, "src/link-a"));
  for (const path of ["link-src/app.ts", "src/link-a", "link-src/new/x.ts"]) {
    const problem = await failed("WriteFile", { path, content: "x", mode: "overwrite" });
    assert.equal(problem.code, "linked_path", path);
  }
  const edits = [{ search: "two", replace: "2" }];
  const { message } = await failed("EditFile", { path: "src/link-a", edits });
  assert.match(message, /"src\/link-a" is another name of "a\.txt"/);
  assert.ok(!has("src/new"));
});

test("a file that is replaced by a link or a pipe while it is edited is not read", async () => {
  const roots = await fileRoots(options, noRules);
  await using target = await openTarget(roots, "a.txt", {});
  rmSync(join(root, "a.txt"));
  symlinkSync(join(base, "secret"), join(root, "a.txt"));
  writeFileSync(join(base, "secret"), "secret");
  await assert.rejects(readTarget(target), /was replaced while it was read/);
  await assert.rejects(copyTarget(target, join(base, "stolen")));
  assert.ok(!existsSync(join(base, "stolen")));
});

test("a rule for the editing tools protects its paths from each of them", async () => {
  const context = { denied: () => ({ ...noRules, changes: ["secrets/**"] }) };
  const before = tree();
  for (const [name, args] of [
    ["WriteFile", { path: "secrets/key", content: "", mode: "overwrite" }],
    ["ApplyPatch", { patch: "*** Delete File: secrets/key" }],
    ["ApplyPatch", { patch: "*** Update File: a.txt\n*** Move to: secrets/a" }],
    ["MoveFile", { from: "secrets/key", to: "key" }],
    ["MoveFile", { from: "secrets", to: "s" }],
    ["CopyFile", { from: "a.txt", to: "secrets/a" }],
    ["RemoveFile", { path: "secrets" }],
  ] as const)
    assert.equal((await failed(name, args, { context })).code, "denied_path", name);
  assert.deepEqual(tree(), before);
  await changed("CopyFile", { from: "secrets/key", to: "copy" }, { context });
});

test("a folder with a repository's history, or with another root, is not moved or removed", async () => {
  mkdirSync(join(root, "src/inner/.git"), { recursive: true });
  for (const [name, args] of [
    ["RemoveFile", { path: "src" }],
    ["MoveFile", { from: "src", to: "lib" }],
  ] as const)
    assert.equal((await failed(name, args)).code, "protected_path");
  const roots = [{ path: root }, { name: "tools", path: join(root, "src/inner") }];
  const of = editTools({ ...options, roots });
  assert.equal((await failed("RemoveFile", { path: "root/src" }, { of })).code, "is_root");
});

test("an Undo that fails leaves nothing restored", async () => {
  const patch = "*** Update File: a.txt\n-one\n+1\n*** Delete File: src/other.ts";
  const { change } = await changed("ApplyPatch", { patch });
  write("a.txt", "someone else's");
  const before = tree();
  assert.equal((await failed("Undo", { change })).code, "changed");
  assert.deepEqual(tree(), before);
});

test("Undo reverts an interrupted change", async () => {
  const start = tree();
  const { change } = await changed("WriteFile", { path: "a.txt", content: "x", mode: "overwrite" });
  cutOff(change);
  assert.match(String(await effect("Undo", { change })), /was interrupted: a\.txt/);
  await changed("Undo", { change });
  assert.deepEqual(tree(), start);
  assert.equal((await failed("Undo", { change })).code, "unknown_change");
});

test("the newest change can be undone whatever its size, and older ones stay within the limit", async () => {
  const folder = new ChangeFolder(join(base, "pruned"), "someone");
  const ids: string[] = [];
  for (const [index, bytes] of [600, 600, 400, 1_500].entries()) {
    const made = await folder.begin(`key-${index}`, "t");
    const { id } = "begun" in made ? made.begun : made.found;
    const record = await folder.find(id);
    await folder.save({ ...record, at: index + 1, status: "done", bytes: bytes * 1024 * 1024 });
    await folder.prune(5);
    ids.push(id);
  }
  await folder.find(ids[3] ?? "");
  await assert.rejects(folder.find(ids[0] ?? ""));
});

test("calls of several sessions that change one file at once lose no edit", async () => {
  write("count.txt", "");
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      changed("WriteFile", { path: "count.txt", content: `${index}\n`, mode: "append" }),
    ),
  );
  assert.equal(read("count.txt").trim().split("\n").length, 20);
});

test("a moved file never replaces one that another program created meanwhile", async () => {
  write("other.txt", "other");
  const move = { from: join(root, "a.txt"), to: join(root, "other.txt"), temporary: ".x.tmp" };
  await assert.rejects(moveEntry({ ...move, isFolder: false }), FileError);
  assert.equal(read("other.txt"), "other");
});
