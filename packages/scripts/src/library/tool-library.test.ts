import assert from "node:assert/strict";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { openScriptApprovals } from "../approve/script-approvals.ts";
import { ScriptVersions } from "../read/script-versions.ts";
import type { DeclaredPermissions } from "../definition/script-function.ts";
import { fakeParsers, put, toolFolder } from "../testing/tool-folder.ts";
import { openToolLibrary, type ToolLibrary, type ToolLibraryOptions } from "./tool-library.ts";

async function open(folder: string, options: Partial<ToolLibraryOptions> = {}) {
  const parsers = fakeParsers();
  const library = await openToolLibrary({
    folders: [folder],
    parsers,
    run: async () => ({ value: null }),
    cacheSecret: "ours",
    watch: false,
    ...options,
  });
  after(() => library.close());
  return Object.assign(library, { read: parsers.read });
}

const groupIds = ({ groups }: ToolLibrary) => groups.map(({ name }) => name);
const statuses = ({ files }: ToolLibrary) =>
  files.map(({ path, status }) => [basename(path), status]);
const toolNames = ({ groups }: ToolLibrary) =>
  groups.flatMap(({ tools }) => tools.map(({ definition }) => definition.function.name));

/** Resolves when the library satisfies `wanted` after a change. */
function until(library: ToolLibrary, condition: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => void (condition() && resolve());
  library.subscribe(check);
  check();
  return promise;
}

// Contract: scripts-60
test("the files in the folders become groups, in the order of the folders and names", async () => {
  const [first, second] = [
    await toolFolder({ "b.py": "one", "a.ps1": "two", "b.ps1": "three" }),
    await toolFolder({ "a.py": "four" }),
  ];
  const library = await open(first, { folders: [first, second] });
  assert.deepEqual(groupIds(library), ["a-ps1", "b-ps1", "b", "a"]);
});

// Contract: scripts-15
test("a file without a tool because of an error is broken; one without functions is not", async () => {
  const folder = await toolFolder({ "a.py": "no.name", "b.py": "", "c.py": "no.name two" });
  const library = await open(folder);
  assert.deepEqual(statuses(library), [
    ["a.py", "broken"],
    ["b.py", "live"],
    ["c.py", "live"],
  ]);
  assert.deepEqual(groupIds(library), ["b", "c"]);
  await put(folder, { "a.py": "one" });
  await library.refresh();
  assert.deepEqual(statuses(library)[0], ["a.py", "live"]);
});

// Contract: scripts-60
test("a change of a watched file changes its group and is announced", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  const library = await open(folder, { watch: true });
  await put(folder, { "b.py": "two" });
  await until(library, () => toolNames(library).join() === "one,two");
  await put(folder, { "b.py": "three" });
  await until(library, () => toolNames(library).join() === "one,three");
  await rename(join(folder, "a.py"), join(folder, "c.py"));
  await until(library, () => groupIds(library).join() === "b,c");
  await rm(join(folder, "b.py"));
  await until(library, () => toolNames(library).join() === "one");
});

// Contract: scripts-60
test("plugin folders are watched, too, and so is a tools folder that is created later or replaced", async () => {
  const parent = await toolFolder();
  const folder = join(parent, "deep", "tools");
  const library = await open(folder, { watch: true });
  assert.deepEqual(groupIds(library), []);
  await mkdir(join(folder, "plug"), { recursive: true });
  await put(folder, { "plug/main.py": "one" });
  await until(library, () => toolNames(library).join() === "one");
  await put(folder, { "plug/main.py": "two" });
  await until(library, () => toolNames(library).join() === "two");
  await rename(folder, `${folder}-old`);
  await put(folder, { "new.py": "three" });
  await until(library, () => toolNames(library).join() === "three");
  await put(folder, { "new.py": "four" });
  await until(library, () => toolNames(library).join() === "four");
});

// Contract: scripts-61
test("a file that breaks keeps its last good version and shows its error until it is fixed", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  const versions = new ScriptVersions(join(await toolFolder(), "versions"));
  const library = await open(folder, { versions });
  const good = library.files[0]?.script;
  await put(folder, { "a.py": "broken" });
  await library.refresh();
  assert.deepEqual(statuses(library), [["a.py", "stale"]]);
  assert.deepEqual(toolNames(library), ["one"]);
  assert.equal(library.files[0]?.problems[0]?.line, 3);
  assert.equal(library.files[0]?.script, good);
  await put(folder, { "a.py": "two" });
  await library.refresh();
  assert.deepEqual(statuses(library), [["a.py", "live"]]);
  assert.deepEqual(toolNames(library), ["two"]);
});

// Contract: scripts-61
test("the copy of a script has the content that was read, whatever happens to the file", async () => {
  const folder = await toolFolder({ "a.py": "one", "_help.py": "help" });
  const versions = new ScriptVersions(join(await toolFolder(), "versions"));
  const { files } = await open(folder, { versions });
  const script = files[0]?.script;
  await put(folder, { "a.py": "broken" });
  const { readFile } = await import("node:fs/promises");
  assert.equal(await readFile(join(script?.folder ?? "", "a.py"), "utf8"), "one");
  assert.equal(await readFile(join(script?.folder ?? "", "_help.py"), "utf8"), "help");
});

test("a file that was broken from the start has no tools and shows the reason", async () => {
  const library = await open(await toolFolder({ "a.py": "broken" }));
  assert.deepEqual(statuses(library), [["a.py", "broken"]]);
  assert.deepEqual(library.groups, []);
});

// Contract: scripts-16
test("a group id stays with the first file, and a later file with the same id gets an error", async () => {
  const [first, second] = [
    await toolFolder({ "a.py": "one" }),
    await toolFolder({ "a.py": "two" }),
  ];
  await put(first, { "files.py": "three" });
  const library = await open(first, { folders: [first, second], reserved: ["files"] });
  assert.deepEqual(toolNames(library), ["one"]);
  assert.deepEqual(statuses(library), [
    ["a.py", "live"],
    ["files.py", "broken"],
    ["a.py", "broken"],
  ]);
  assert.match(library.files[1]?.problems[0]?.message ?? "", /"files" belongs to a built-in group/);
});

// Contract: scripts-13
test("the id stays the same when the title changes", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  const library = await open(folder, {
    parsers: {
      ...fakeParsers(),
      python: async () => [{ functions: [], problems: [], title: "Another name" }],
    },
  });
  assert.deepEqual(
    library.groups.map(({ name, title }) => [name, title]),
    [["a", "Another name"]],
  );
});

// Contract: scripts-63
test("an approval that is given or revoked changes the tools immediately", async () => {
  const folder = await toolFolder({ "a.py": 'one permissions {"executionPolicy": "auto"}' });
  let approved: DeclaredPermissions | undefined;
  let notify = () => {};
  const library = await open(folder, {
    approvals: {
      approved: () => approved,
      contentOf: () => undefined,
      subscribe: (listener) => {
        notify = listener;
        return () => {};
      },
    },
  });
  const policy = () => library.groups[0]?.tools[0]?.permission?.executionPolicy;
  assert.equal(policy(), "ask-always");
  approved = library.files[0]?.script?.declared;
  notify();
  await until(library, () => policy() === "auto");
  approved = undefined;
  notify();
  await until(library, () => policy() === "ask-always");
});

// Contract: scripts-64
test("only the approved version is offered, also after a restart", async () => {
  const folder = await toolFolder({ "a.py": "one", "b.py": "two" });
  const data = await toolFolder();
  const start = async () => {
    const approvals = openScriptApprovals({ folder: join(data, "approvals") });
    const versions = new ScriptVersions(join(data, "versions"));
    const library = await open(folder, { approvals, versions, parsers: fakeParsers() });
    after(() => approvals.close());
    return { approvals, library };
  };
  const { approvals, library } = await start();
  const offered = (of: ToolLibrary) => toolNames(of.offered as ToolLibrary).join();
  assert.deepEqual([toolNames(library).join(), offered(library)], ["one,two", ""]);

  approvals.approve(library.files[0]?.script ?? assert.fail());
  await until(library, () => offered(library) === "one");
  const [before] = library.offered.groups;
  for (const changed of ["other", "broken", ""]) {
    await put(folder, { "a.py": changed });
    await library.refresh();
    assert.equal(offered(library), "one", changed);
    assert.equal(library.offered.groups[0], before);
    const again = await start();
    assert.equal(offered(again.library), "one", `${changed} after a restart`);
    if (changed === "broken") {
      const [file] = again.library.files;
      assert.deepEqual(
        [file?.status, file?.groupIds, file?.problems[0]?.line],
        ["stale", ["a"], 3],
      );
    }
  }
  assert.deepEqual(toolNames(library), ["two"]);

  approvals.revoke(join(folder, "a.py"));
  await until(library, () => offered(library) === "");
});

// Contract: scripts-55
test("a change of one file parses no other", async () => {
  const folder = await toolFolder({ "a.py": "one", "b.py": "two" });
  const library = await open(folder);
  library.read.length = 0;
  await put(folder, { "b.py": "three" });
  await library.refresh();
  assert.deepEqual(library.read, ["three"]);
});

test("overlapping refreshes end with the current files, and a listener that throws stops no other", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  const library = await open(folder);
  library.subscribe(() => {
    throw new Error("a listener's own");
  });
  const early = library.refresh();
  await put(folder, { "a.py": "two" });
  await Promise.all([early, library.refresh(), library.refresh()]);
  assert.deepEqual(toolNames(library), ["two"]);
});
