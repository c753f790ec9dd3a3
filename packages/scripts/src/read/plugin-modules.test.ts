import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { ScriptVersions } from "./script-versions.ts";
import { fakeParsers, put, toolFolder } from "../testing/tool-folder.ts";
import { openToolLibrary, type ToolLibrary } from "../library/tool-library.ts";

async function open(
  files: { readonly [name: string]: string },
  isApproved: (module: { readonly contentHash: string }) => boolean = () => true,
) {
  const folder = await toolFolder(files);
  const library = await openToolLibrary({
    folders: [folder],
    parsers: fakeParsers(),
    run: async () => ({ value: null }),
    watch: false,
    versions: new ScriptVersions(join(await toolFolder(), "versions")),
    modules: { approved: isApproved, subscribe: () => () => {} },
  });
  after(() => library.close());
  return { library, folder };
}

const toolIds = ({ groups }: ToolLibrary) =>
  groups.flatMap(({ name, tools }) =>
    tools.map(({ definition }) => `${name}.${definition.function.name}`),
  );

const tool = (name: string, body = "1") =>
  `{ definition: { type: "function", function: { name: "${name}" } }, effects: "read", permission: { executionPolicy: "auto" }, execute: () => ${body} }`;

async function resultOf(library: ToolLibrary, name: string): Promise<unknown> {
  const executor = new ToolExecutor();
  for (const group of library.groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  const result = await executor.execute(name, {});
  return result.status === "success" ? result.data : result;
}

// Contract: scripts-67
test("tools, lists, groups and functions that create them can be exported", async () => {
  const { library } = await open({
    "plain.js": `export const title = "Plain"; export const one = ${tool("One")}; export const more = [${tool("Two")}]; export const other = 5;`,
    "typed.ts": `import { defineTool, type Tool } from "@capstan/core";\nexport const made: Tool = defineTool({ name: "Made", description: "d", execute: (): number => 3 });`,
    "asked.mjs": `export const tools = ({ defineToolGroup }) => defineToolGroup({ name: "own", tools: [${tool("Three")}] });`,
    "late.js": `export default async () => (${tool("Four")});`,
  });
  assert.deepEqual(toolIds(library).toSorted(), [
    "late.Four",
    "own.Three",
    "plain.One",
    "plain.Two",
    "typed.Made",
  ]);
  assert.equal(library.groups.find(({ name }) => name === "plain")?.title, "Plain");
  assert.equal(await resultOf(library, "One"), 1);
});

// Contract: scripts-68
test("no part of a module runs before a user approves exactly this version", async () => {
  const mark = "__capstan_plugin_test_ran";
  const { library } = await open(
    { "a.js": `globalThis.${mark} = true; export const t = ${tool("T")};` },
    () => false,
  );
  assert.equal(mark in globalThis, false);
  assert.deepEqual(
    library.files.map(({ status }) => status),
    ["unapproved"],
  );
  assert.deepEqual(library.groups, []);
});

// Contract: scripts-68
test("an approval covers a module's helpers, and a changed helper is imported again", async () => {
  const { library, folder } = await open({
    "plug/main.ts": `import { value } from "./helper.ts"; export const t = ${tool("T", "value")};`,
    "plug/helper.ts": "export const value: number = 1;",
  });
  assert.equal(await resultOf(library, "T"), 1);
  await put(folder, { "plug/helper.ts": "export const value: number = 2;" });
  await library.refresh();
  assert.equal(await resultOf(library, "T"), 2);
});

// Contract: scripts-68
test("a module cannot import files that are not part of it", async () => {
  const { library } = await open({
    "a.js": `import { x } from "./other.js"; export const t = ${tool("T", "x")};`,
    "other.js": `export const x = 1; export const u = ${tool("U")};`,
    "plug/main.js": `export const load = () => import("../other.js"); export const t = ${tool("V")};`,
  });
  assert.deepEqual(toolIds(library), ["other.U"]);
  for (const index of [0, 2])
    assert.match(library.files[index]?.problems[0]?.message ?? "", /not part of it/);
});

const packageOf = (value: number) => ({
  "plug/node_modules/pkg/package.json": '{"name": "pkg", "exports": "./index.cjs"}',
  "plug/node_modules/pkg/index.cjs": 'module.exports = { value: require("deep") };',
  "plug/node_modules/deep/package.json": '{"name": "deep"}',
  "plug/node_modules/deep/index.js": `module.exports = ${value};`,
});
const usesPackage = `import pkg from "pkg"; import { basename } from "node:path"; export const t = ${tool("T", "pkg.value + basename('/x').length")};`;

// Contract: scripts-69
test("packages in a plugin's own folder are part of the approval, and load in the approved version", async () => {
  const asked: string[] = [];
  const { library, folder } = await open(
    { "plug/main.js": usesPackage, ...packageOf(1) },
    ({ contentHash }) => asked.push(contentHash) > 0 && contentHash === asked[0],
  );
  await put(folder, { "plug/node_modules/deep/index.js": "module.exports = 5;" });
  assert.equal(await resultOf(library, "T"), 2);
  await library.refresh();
  assert.deepEqual(
    library.files.map(({ status }) => status),
    ["unapproved"],
  );
  assert.equal(new Set(asked).size, 2);
});

// Contract: scripts-69
test("packages outside of a module cannot be loaded in any way", async () => {
  const { library } = await open({
    "a.js": `import pkg from "pkg"; export const t = ${tool("T", "pkg")};`,
    "late/main.js": `export const t = ${tool("U", 'import("pkg").then(() => 1, (e) => e.message)')};`,
    "old/main.js": `import { createRequire } from "node:module"; export const t = ${tool("V", `{ try { return createRequire(import.meta.url)("pkg"); } catch (e) { return e.message; } }`)};`,
    "path/main.js": `const out = new URL("../a.js", import.meta.url).href; export const t = ${tool("W", "import(out).then(() => 1, (e) => e.message)")};`,
    "node_modules/pkg/index.js": "module.exports = 1;",
  });
  assert.deepEqual(toolIds(library), ["late.U", "old.V", "path.W"]);
  const refused =
    /^It cannot be imported: .*imports "pkg", which is not part of it.*main.*node_modules/s;
  assert.match(library.files[0]?.problems[0]?.message ?? "", refused);
  for (const name of ["U", "V", "W"])
    assert.match(String(await resultOf(library, name)), /not part of it/, name);
});

// Contract: scripts-70
test("a module that breaks keeps its last good version until its approval is revoked", async () => {
  let isApproved = true;
  const { library, folder } = await open(
    { "a.js": `export const t = ${tool("T")};` },
    () => isApproved,
  );
  await put(folder, { "a.js": "export const = ;" });
  await library.refresh();
  assert.deepEqual(
    library.files.map(({ status }) => status),
    ["stale"],
  );
  assert.equal(await resultOf(library, "T"), 1);
  isApproved = false;
  await library.refresh();
  assert.deepEqual(library.groups, []);
});

const useless: readonly [what: string, source: string, why: RegExp][] = [
  ["exports no tools", "export const x = 1;", /exports no tools/],
  ["throws", "throw new Error('at once');", /at once/],
  [
    "has two tools with the same name",
    `export const a = ${tool("T")}; export const b = ${tool("T")};`,
    /two tools named "T"/,
  ],
  ["has a tool with an invalid name", `export const a = ${tool("no name")};`, /does not match/],
  [
    "has a group with an invalid id",
    `export const a = { name: "no id", tools: [] };`,
    /does not match/,
  ],
];
// Contract: scripts-70
test("a module that throws or exports an invalid tool is a problem of that file only", async () => {
  for (const [what, source, why] of useless) {
    const { library } = await open({ "a.js": source, "b.js": `export const t = ${tool("T")};` });
    assert.deepEqual(toolIds(library), ["b.T"], what);
    assert.match(library.files[0]?.problems[0]?.message ?? "", why, what);
  }
});
