import assert from "node:assert/strict";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  type ParseSources,
  readScripts,
  type ReadScriptsOptions,
  type ScriptFile,
} from "./read-scripts.ts";
import { scanFolder } from "./scan-folder.ts";
import { fakeParsers, put, toolFolder } from "../testing/tool-folder.ts";

async function readAll(folder: string, options: Partial<ReadScriptsOptions> = {}) {
  const parsers = fakeParsers();
  const { files } = await scanFolder(folder);
  const outcomes = await readScripts(files as readonly ScriptFile[], {
    parsers,
    cacheSecret: "ours",
    ...options,
  });
  const scripts = outcomes.flatMap((one) => (one.status === "read" ? [one.script] : []));
  return { outcomes, scripts, read: parsers.read };
}

// Contract: scripts-3
test("a second read takes definitions from the cache next to the script, but not permissions", async () => {
  const folder = await toolFolder({ "a.py": 'one two permissions {"executionPolicy": "auto"}' });
  const first = await readAll(folder);
  const second = await readAll(folder);
  assert.equal(second.read.length, 0);
  const { declared, ...definitions } = first.scripts[0] ?? {};
  assert.deepEqual(declared, { file: { executionPolicy: "auto" }, functions: {} });
  assert.deepEqual(second.scripts, [definitions]);
  assert.equal((await readFile(join(folder, "a.py.tool.json"), "utf8")).includes("auto"), false);
});

// Contract: scripts-57
test("without the cache a file is read again, with its declared permissions", async () => {
  const folder = await toolFolder({ "a.py": 'one permissions {"network": true}' });
  await readAll(folder);
  const { scripts, read } = await readAll(folder, { cacheSecret: "" });
  assert.equal(read.length, 1);
  assert.deepEqual(scripts[0]?.declared?.file, { network: true });
});

// Contract: scripts-52
test("only the script that changed is read again, whatever the clocks show", async () => {
  const folder = await toolFolder({ "a.py": "one", "b.py": "two" });
  await readAll(folder);
  await put(folder, { "a.py": "three" });
  await utimes(join(folder, "a.py"), 1, 1);
  const { scripts, read } = await readAll(folder);
  assert.deepEqual(read, ["three"]);
  assert.deepEqual(
    scripts.map(({ functions }) => functions[0]?.name),
    ["three", "two"],
  );
});

// Contract: scripts-2
test("scripts of two languages with the same name have separate caches", async () => {
  const folder = await toolFolder({ "a.py": "one", "a.ps1": "two" });
  await readAll(folder);
  const { scripts, read } = await readAll(folder);
  assert.deepEqual(read, []);
  assert.deepEqual(
    scripts.map(({ groupId, functions }) => [groupId, functions[0]?.name]),
    [
      ["a-ps1", "two"],
      ["a", "one"],
    ],
  );
});

const corruptions: readonly [what: string, corrupt: (text: string) => string][] = [
  ["edited by hand", (text) => text.replace("Does one.", "Does more.")],
  ["half written", (text) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["of another format", (text) => text.replace(/"formatVersion": \d+/, '"formatVersion": 0')],
  ["begins with a byte order mark", (text) => `\ufeff${text}`],
  ["no object", () => "[]"],
];

// Contract: scripts-56
test("a cache that was edited, truncated, or has another format or encoding is replaced", async () => {
  for (const [what, corrupt] of corruptions) {
    const folder = await toolFolder({ "a.py": "one" });
    await readAll(folder);
    const path = join(folder, "a.py.tool.json");
    const whole = await readFile(path, "utf8");
    await writeFile(path, corrupt(whole));
    const { scripts, read } = await readAll(folder);
    assert.deepEqual(read, ["one"], what);
    assert.equal(scripts[0]?.functions[0]?.description, "Does one.", what);
    assert.equal(await readFile(path, "utf8"), whole, what);
  }
});

// Contract: scripts-56
test("a cache that came with the script, or that a tool wrote, is ignored", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  await readAll(folder, { cacheSecret: "theirs" });
  const { scripts, read } = await readAll(folder);
  assert.deepEqual(read, ["one"]);
  assert.deepEqual(
    scripts.map(({ functions }) => functions.map(({ name }) => name)),
    [["one"]],
  );
});

// Contract: scripts-56
test("another script's cache is ignored", async () => {
  const folder = await toolFolder({ "a.py": "one", "b.py": "one" });
  await readAll(folder);
  await writeFile(
    join(folder, "b.py.tool.json"),
    await readFile(join(folder, "a.py.tool.json"), "utf8"),
  );
  assert.deepEqual((await readAll(folder)).read, ["one"]);
});

// Contract: scripts-3
test("the cache contains the function definitions for a model", async () => {
  const folder = await toolFolder({ "a.py": "one" });
  await readAll(folder);
  const cache = JSON.parse(await readFile(join(folder, "a.py.tool.json"), "utf8")) as {
    readonly [key: string]: unknown;
  };
  assert.equal(cache["type"], "PythonModule");
  assert.equal(cache["name"], "a");
  assert.equal(cache["scriptPath"], "a.py");
  assert.equal(cache["rulePrompt"], "Rules.");
  assert.deepEqual((cache["tools"] as readonly { readonly function: unknown }[])[0]?.function, {
    name: "one",
    description: "Does one.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
  });
});

test("a script without a public function is a warning, because it was probably meant to have one", async () => {
  const { scripts } = await readAll(await toolFolder({ "a.py": "", "b.py": "one" }));
  assert.deepEqual(
    scripts.map(({ problems }) => problems.map(({ severity, message }) => [severity, message])),
    [[["warning", "It defines no tools: it has no public top-level function."]], []],
  );
});

// Contract: scripts-58
test("a broken script has an error with its line, and the others are read", async () => {
  const folder = await toolFolder({ "a.py": "broken", "b.py": "two" });
  const { outcomes } = await readAll(folder);
  assert.deepEqual(outcomes[0], {
    status: "broken",
    path: join(folder, "a.py"),
    problems: [{ severity: "error", message: "It is broken.", line: 3 }],
  });
  assert.equal(outcomes[1]?.status, "read");
});

test("a function whose name no provider accepts is an error, and the others are tools", async () => {
  const folder = await toolFolder({ "a.py": `größe ${"x".repeat(65)} fine` });
  const { scripts } = await readAll(folder);
  assert.deepEqual(
    scripts[0]?.functions.map(({ name }) => name),
    ["fine"],
  );
  assert.equal(scripts[0]?.problems.length, 2);
});

// Contract: scripts-4, scripts-53
test("the digest covers all files of a script: private files next to it, or its whole folder", async () => {
  const folder = await toolFolder({
    "a.py": "one",
    "other.py": "two",
    "_shared.py": "help",
    "_data/x.csv": "1",
    "plug/main.py": "three",
    "plug/helper.py": "help",
    "plug/__pycache__/x.pyc": "made",
  });
  const hashes = async () =>
    new Map(
      (await readAll(folder)).scripts.map(({ groupId, contentHash }) => [groupId, contentHash]),
    );
  const { scripts } = await readAll(folder);
  assert.deepEqual(
    scripts.map(({ groupId, files }) => [groupId, files]),
    [
      ["a", ["_data/x.csv", "_shared.py", "a.py"]],
      ["other", ["_data/x.csv", "_shared.py", "other.py"]],
      ["plug", ["helper.py", "main.py"]],
    ],
  );
  const before = await hashes();
  await put(folder, { "_data/x.csv": "2", "plug/__pycache__/x.pyc": "again" });
  const after = await hashes();
  assert.notEqual(after.get("a"), before.get("a"));
  assert.equal(after.get("plug"), before.get("plug"));
  await put(folder, { "plug/helper.py": "changed" });
  assert.notEqual((await hashes()).get("plug"), before.get("plug"));
});

test("a file that is too large or missing is a problem of that file only", async () => {
  const folder = await toolFolder({ "a.py": "x".repeat(3 * 1024 * 1024), "b.py": "two" });
  const { outcomes } = await readAll(folder);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["broken", "read"],
  );
  const missing = {
    ...(await scanFolder(folder)).files[1],
    path: join(folder, "gone.py"),
  } as ScriptFile;
  const [outcome] = await readScripts([missing], { parsers: fakeParsers() });
  assert.equal(outcome?.status, "broken");
});

// Contract: scripts-54
test("files of both languages are read concurrently", async () => {
  const folder = await toolFolder({ "a.py": "one", "b.ps1": "two" });
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const waiting: ParseSources = async (sources) => {
    begun++;
    if (begun === 2) both.resolve();
    await both.promise;
    return fakeParsers().python(sources, undefined);
  };
  const parsers = { python: waiting, powershell: waiting };
  const { files } = await scanFolder(folder);
  const scripts = files.filter((file) => file.type === "script");
  const outcomes = await readScripts(scripts, { parsers });
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["read", "read"],
  );
});

// Contract: scripts-10
test("a cache without its script is ignored", async () => {
  const folder = await toolFolder({ "gone.py.tool.json": "{}" });
  assert.deepEqual(await scanFolder(folder), { files: [], problems: [] });
});

test("a description that is too long is truncated, with a warning", async () => {
  const long = `${"🙂".repeat(999)}a${"🙂".repeat(9_000)}`;
  const parsers = fakeParsers();
  const python: ParseSources = async (sources, signal) =>
    (await parsers.python(sources, signal)).map((file) => ({
      ...file,
      functions: file.functions?.map((one) => ({ ...one, description: long, line: 7 })) ?? [],
    }));
  const folder = await toolFolder({ "a.py": "one" });
  const { scripts } = await readAll(folder, { parsers: { ...parsers, python } });
  assert.equal(scripts[0]?.functions[0]?.description, `${"🙂".repeat(999)}a…`);
  const [problem] = scripts[0].problems;
  assert.deepEqual([problem?.severity, problem?.line], ["warning", 7]);
  assert.match(problem?.message ?? "", /one has 19999 characters, .* the first 2000\./);
});
