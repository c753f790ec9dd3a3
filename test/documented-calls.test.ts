import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type JsonObject, runToolChain, type ToolExecutor } from "@capstan/core";
import { checkArguments } from "@capstan/core/host";
import { createOfflineModel } from "@capstan/models";
import { unconfined } from "@capstan/sandbox";
import { SkillCatalog } from "@capstan/toolkit";
import { builtInGroups, createToolExecutor } from "capstan";
import { root } from "../scripts/command.ts";
import { createServerFolder, type ServerFolder } from "./server-process.ts";

// Checks that the tools accept the calls in the documentation.

interface DocumentedCall {
  readonly where: string;
  readonly tool: string;
  /** Undefined if the text after the name is not JSON. */
  readonly args: JsonObject | undefined;
}

const patterns = ["README.md", "docs/**/*.md", "packages/web/src/chat/starters.ts"];
const documents = await Promise.all(
  globSync(patterns, { cwd: root }).map(async (path) => ({
    path,
    text: await readFile(join(root, path), "utf8"),
  })),
);

let folder: ServerFolder;
before(async () => {
  folder = await createServerFolder({ "README.md": "# Ropes\n" });
});
after(() => folder[Symbol.asyncDispose]());

/** With the tools that need neither a service nor a key. */
function createExecutor(): ToolExecutor {
  return createToolExecutor({ groups: builtInGroups({ roots: [folder.work] }) });
}

/** With all tools, as if every service was there. They are not called. */
function createFullExecutor(): ToolExecutor {
  const sandbox = { ...unconfined, kind: "bubblewrap" } as const;
  return createToolExecutor({
    groups: builtInGroups({
      roots: [folder.work],
      changes: join(folder.work, "changes"),
      siyuan: { url: "http://127.0.0.1:6806" },
      skills: { catalog: SkillCatalog.none(), sandbox },
      code: { sandbox },
    }),
  });
}

/** Finds `Tool {"json": 1}` and `Tool({"json": 1})` anywhere in a line. */
function documentedCalls(path: string, text: string): readonly DocumentedCall[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(/\b([A-Za-z]+)(?: |\()(?=(\{[ "}].*))/g)].map(([, tool = "", rest = ""]) => ({
      where: `${path}:${index + 1}`,
      tool,
      args: leadingJson(rest),
    })),
  );
}

function leadingJson(text: string): JsonObject | undefined {
  for (const { index } of text.matchAll(/\}/g)) {
    try {
      return JSON.parse(text.slice(0, index + 1)) as JsonObject;
    } catch {
      // The JSON may end at a later brace.
    }
  }
  return undefined;
}

/** Returns the problem of a call, or `undefined` if the tool accepts it or is not built in. */
async function problemOf({ where, tool, args }: DocumentedCall, executor: ToolExecutor) {
  const known = executor.getTool(tool);
  if (known === undefined) return undefined;
  if (args === undefined) return `${where}: the arguments of ${tool} are not JSON`;
  const names = Object.keys(known.definition.function.parameters?.["properties"] ?? {});
  const unknown = Object.keys(args).filter((name) => !names.includes(name));
  if (unknown.length > 0) return `${where}: ${tool} has no parameter ${unknown.join(", ")}`;
  const checked = await checkArguments(known, args);
  return checked.status === "valid" ? undefined : `${where}: ${checked.error.message}`;
}

test("every documented call of a built-in tool is valid", async () => {
  const executor = createFullExecutor();
  const calls = documents.flatMap(({ path, text }) => documentedCalls(path, text));
  const shown = calls.filter(({ tool }) => executor.getTool(tool) !== undefined);
  assert.ok(shown.length >= 9, `only ${shown.length} were found`);
  const problems = await Promise.all(shown.map((call) => problemOf(call, executor)));
  assert.deepEqual(
    problems.filter((problem) => problem !== undefined),
    [],
  );
});

test("calls in the tools' own rules are valid", async () => {
  const executor = createFullExecutor();
  const rules = executor.variables.snapshot().filter(({ type }) => type === "RULE");
  const texts = [executor.toolRules(), ...rules.map(({ value }) => value.text ?? "")];
  const calls = texts.flatMap((text) => documentedCalls("the rules", text));
  assert.ok(calls.length >= 1);
  const problems = await Promise.all(calls.map((call) => problemOf(call, executor)));
  assert.deepEqual(
    problems.filter((problem) => problem !== undefined),
    [],
  );
});

// Contract: variables-93
test("the tools' own rules are short, and their index is shorter", () => {
  const groups = createFullExecutor().groups();
  const names = groups.flatMap(({ name, declareSkillRules = {} }) =>
    Object.keys(declareSkillRules).map((rule) => `${name}/${rule}`),
  );
  for (const rule of [
    "files/view-modes files/glob-usage files/grep-usage",
    "edit/search-replace edit/write-file edit/file-operations code/variables",
    "siyuan/block-markdown-syntax siyuan/doc-tree siyuan/sql-overview siyuan/sql-blocks-table",
    "siyuan/sql-refs-table siyuan/sql-attributes-table siyuan/dailynote siyuan/slice-reading",
    "siyuan/block-edit-search-replace web/content-tools web/workflow-and-notes",
  ].flatMap((line) => line.split(" ")))
    assert.ok(names.includes(rule), rule);
  for (const { name, declareSkillRules = {} } of groups)
    for (const [rule, { desc, prompt, when = "" }] of Object.entries(declareSkillRules)) {
      assert.ok(prompt.length <= 2000, `${name}/${rule} has ${prompt.length} characters`);
      assert.ok(desc.length + when.length <= 100, `${name}/${rule}: shorten desc and when`);
    }
});

test("the examples of DateTime give the documented results", async () => {
  const guide = documents.find(({ path }) => path.endsWith("built-in-tools.md"))?.text ?? "";
  const rows = [...guide.matchAll(/^\| `\w+` \| `(\{.*\})` \| `(.*)` \|$/gm)];
  assert.equal(rows.length, 4);
  for (const [, args = "", expected = ""] of rows) {
    const result = await createExecutor().execute("DateTime", JSON.parse(args));
    assert.equal(result.status, "success", args);
    // The current time has changed.
    if (!args.includes("operation")) continue;
    assert.ok(JSON.stringify(result).includes(expected), `${args}: ${JSON.stringify(result)}`);
  }
});

test("the offline model runs the lines of its guide, and each call succeeds", async () => {
  const guide = documents.find(({ path }) => path.endsWith("models.md"))?.text ?? "";
  const blocks = [...guide.matchAll(/^```\n(\/[^]*?)^```$/gm)].map(([, lines = ""]) => lines);
  assert.equal(blocks.length, 1);
  const model = createOfflineModel({ chunkDelayMs: 0 });
  for (const content of blocks) {
    // Two parallel calls end in random order.
    for (let time = 0; time < 10; time++) {
      const contextMessages = [{ role: "user", content }] as const;
      const run = runToolChain({ executor: createExecutor(), model, contextMessages });
      const { status, toolCallHistory } = await run.result;
      assert.equal(status, "completed");
      assert.deepEqual(
        toolCallHistory.filter(({ result }) => result?.status !== "success"),
        [],
      );
      assert.equal(toolCallHistory.length, 3);
    }
  }
});

test("the lines that /help suggests are valid calls, and succeed if they need nothing else", async () => {
  const executor = createExecutor();
  const model = createOfflineModel({ chunkDelayMs: 0 });
  const ask = async (content: string) =>
    runToolChain({ executor, model, contextMessages: [{ role: "user", content }] }).result;
  const { answer } = await ask("/help");
  const lines = [...answer.matchAll(/^- `(\/[A-Z].*?)` /gm)].map(([, line = ""]) => line);
  assert.equal(lines.length, executor.getEnabledToolDefinitions().length);
  const problems = lines
    .flatMap((line) => documentedCalls("/help", line))
    .map((call) => problemOf(call, executor));
  assert.deepEqual(
    (await Promise.all(problems)).filter((problem) => problem !== undefined),
    [],
  );
  // No network, no documents, no variables yet, and what an operation needs is not in the schema.
  const others = /^\/(?:ReadVar|WriteVar|RemoveVars|ChangeTodo|RemoveTodos|Text)\b/;
  const local = executor
    .groups()
    .filter(({ name }) => ["vars", "todo", "basic", "files"].includes(name))
    .flatMap(({ tools }) => tools.map(({ definition }) => definition.function.name));
  const isLocal = (line: string) => local.includes(/^\/(\w+)/.exec(line)?.[1] ?? "");
  const alone = lines.filter((line) => isLocal(line) && !others.test(line));
  const { toolCallHistory } = await ask(alone.join("\n"));
  assert.deepEqual(
    toolCallHistory.map(({ result }) => result?.status),
    alone.map(() => "success"),
  );
  assert.ok(alone.includes('/ViewFile {"path":"README.md"}'));
  assert.ok(alone.includes('/FindFiles {"glob":"*.md"}'));
});
