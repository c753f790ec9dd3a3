import assert from "node:assert/strict";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type PolicyRule, ToolExecutor } from "@capstan/core";
import { fileTools } from "./file-tools.ts";

let base = "";
let root = "";

before(async () => {
  base = await mkdtemp(join(tmpdir(), "capstan-denied-"));
  root = join(base, "work");
  await mkdir(join(root, "secrets/deep"), { recursive: true });
  await mkdir(join(root, "apps/shop/private"), { recursive: true });
  await mkdir(join(base, "other"));
  const files = {
    "secrets/key.txt": "needle TOP SECRET",
    "secrets/deep/key.txt": "needle TOP SECRET",
    "apps/shop/private/key.txt": "needle TOP SECRET",
    "apps/shop/server.pem": "needle TOP SECRET",
    "apps/shop/open.txt": "needle open",
  };
  for (const [path, content] of Object.entries(files)) await writeFile(join(root, path), content);
  await symlink("secrets/key.txt", join(root, "innocent.txt"));
  await symlink("secrets", join(root, "folder"));
  await link(join(root, "secrets/deep/key.txt"), join(root, "hard.txt"));
  await link(join(root, "apps/shop/open.txt"), join(root, "harmless.txt"));
});

after(() => rm(base, { recursive: true }));

function ask(rules: readonly PolicyRule[], roots = [root]) {
  const executor = new ToolExecutor({ rules });
  executor.registerToolGroup(fileTools({ roots: roots.map((path) => ({ path })) }));
  executor.toggleGroupEnabled("files", true);
  return async (name: string, args: { readonly [name: string]: string | number }) => {
    const result = await executor.execute(`files.${name}`, args);
    return "finalText" in result ? result.finalText : "";
  };
}

const deny = (path: PolicyRule["when"], tool = "files.*"): PolicyRule => ({
  tool,
  when: path ?? {},
  execution: "deny",
});

// Contract: executor-223
test("a denied folder is never searched, found or listed, whichever path a call names", async () => {
  const call = ask([deny({ path: "secrets/**" })]);
  for (const [name, args] of [
    ["SearchFiles", { query: "SECRET" }],
    ["FindFiles", { glob: "**/key.txt" }],
    ["ListFiles", { depth: 5 }],
  ] as const) {
    const text = await call(name, args);
    assert.doesNotMatch(text, /secrets/, `${name}: ${text}`);
    assert.match(text, /apps\/shop/, `${name}: ${text}`);
  }
});

// Contract: executor-223
test("no link leads to a denied file: symbolic links are resolved, hard links recognized by their inode", async () => {
  const call = ask([deny({ path: "secrets/**" })]);
  for (const path of ["innocent.txt", "folder/key.txt", "folder/deep", "hard.txt"]) {
    const text = await call("ViewFile", { path });
    assert.match(text, /A rule denies/, `${path}: ${text}`);
    assert.doesNotMatch(text, /TOP SECRET/);
  }
  assert.match(await call("ListFiles", { path: "folder" }), /A rule denies/);
  assert.match(await call("ViewFile", { path: "harmless.txt" }), /needle open/);
  assert.doesNotMatch(await call("SearchFiles", { query: "SECRET" }), /hard\.txt/);
});

test("a rule about one file tool applies to the file in all file tools, a rule about other tools does not", async () => {
  const viewing = ask([deny({ path: "secrets/**" }, "files.ViewFile")]);
  assert.doesNotMatch(await viewing("SearchFiles", { query: "SECRET" }), /secrets/);
  const others = ask([deny({ path: "secrets/**" }, "mail.*")]);
  assert.match(await others("SearchFiles", { query: "SECRET" }), /secrets/);
});

test("patterns deny matching paths at any depth and in any case, with their content", async () => {
  const call = ask([deny({ path: "apps/*/PRIVATE" }), deny({ path: "**/*.pem" })]);
  const text = await call("SearchFiles", { query: "needle" });
  assert.doesNotMatch(text, /private|pem/);
  assert.match(text, /apps\/shop\/open\.txt/);
  assert.match(await call("ViewFile", { path: "apps/shop/private/key.txt" }), /A rule denies/);
});

test("a rule that denies all paths except one folder leaves that folder readable", async () => {
  const call = ask([deny({ path: { not: "apps/**" } })]);
  assert.match(
    await call("SearchFiles", { path: "apps", query: "SECRET" }),
    /apps\/shop\/server\.pem/,
  );
  assert.match(await call("ViewFile", { path: "hard.txt" }), /forbid|denied|den/);
});

test("with several roots a rule can name the root or use an absolute path", async () => {
  const other = join(base, "other");
  await writeFile(join(other, "note.txt"), "needle note");
  const named = ask([deny({ path: "work/secrets/**" })], [root, other]);
  const absolute = ask([deny({ path: `${root}/secrets/**` })], [root, other]);
  for (const call of [named, absolute]) {
    const text = await call("SearchFiles", { query: "needle" });
    assert.doesNotMatch(text, /secrets/);
    assert.match(text, /other\/note\.txt/);
  }
});

test("a user's own deny rule protects like an administrator's", async () => {
  const executor = new ToolExecutor({ overrides: [deny({ path: "secrets/**" })] });
  executor.registerToolGroup(fileTools({ roots: [{ path: root }] }));
  executor.toggleGroupEnabled("files", true);
  const result = await executor.execute("files.SearchFiles", { query: "SECRET" });
  assert.ok(result.status === "success");
  assert.doesNotMatch(result.finalText, /secrets/);
});
