import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Tool } from "@capstan/core";
import { findSandbox } from "@capstan/sandbox";
import { languageParsers } from "@capstan/scripts";
import { SkillCatalog } from "@capstan/toolkit";
import { builtInGroups, configuredGroups, isOnByDefault } from "./built-in-groups.ts";

/** The kinds of docs/reference/policy.md. */
const kinds = {
  reads: { effects: "read", execution: "auto", result: "never" },
  "writes variables": { effects: "locks", execution: "auto", result: "never" },
  "changes files or notes": { effects: "locks", execution: "ask-always", result: "never" },
  "undoes a change": { effects: "write", execution: "ask-always", result: "never" },
  "runs code": { effects: "write", execution: "ask-always", result: "never" },
  "reads the web": { effects: "read", execution: "ask-once", result: "never" },
} as const;

/** The kind of each shipped tool. A new tool must be added here, or this test fails. */
const kindOf: { readonly [toolId: string]: keyof typeof kinds } = {
  "vars.ReadVar": "reads",
  "vars.ListVars": "reads",
  "vars.WriteVar": "writes variables",
  "vars.RemoveVars": "writes variables",
  "todo.AddTodos": "writes variables",
  "todo.ListTodos": "reads",
  "todo.ChangeTodo": "writes variables",
  "todo.RemoveTodos": "writes variables",
  "basic.DateTime": "reads",
  "basic.Text": "reads",
  "basic.JsonToInterface": "reads",
  "data.Calculate": "reads",
  "data.JsonQuery": "reads",
  "data.TableQuery": "reads",
  "charts.BarChart": "reads",
  "charts.LineChart": "reads",
  "charts.PieChart": "reads",
  "charts.ScatterChart": "reads",
  "web.WebSearch": "reads the web",
  "web.FetchWebPage": "reads the web",
  "web.SearchInWebPage": "reads the web",
  "web.ExtractHTML": "reads the web",
  "web.InspectDOMStructure": "reads the web",
  "web.CrawlPages": "reads the web",
  "knowledge.Wikipedia": "reads the web",
  "knowledge.Weather": "reads the web",
  "media.GenerateImage": "reads the web",
  "media.EditImage": "reads the web",
  "media.DescribeImage": "reads the web",
  "media.TranscribeAudio": "reads the web",
  "scripts.CheckScript": "reads",
  "code.Shell": "runs code",
  "code.Python": "runs code",
  "code.JavaScript": "runs code",
  "code.PowerShell": "runs code",
  "edit.WriteFile": "changes files or notes",
  "edit.EditFile": "changes files or notes",
  "edit.ApplyPatch": "changes files or notes",
  "edit.MoveFile": "changes files or notes",
  "edit.CopyFile": "changes files or notes",
  "edit.MakeDirectory": "changes files or notes",
  "edit.RemoveFile": "changes files or notes",
  "edit.Undo": "undoes a change",
  "siyuan.listNotebooks": "reads",
  "siyuan.navigateDocTree": "reads",
  "siyuan.listActiveDocs": "reads",
  "siyuan.getDailyNoteDocs": "reads",
  "siyuan.getBlockInfo": "reads",
  "siyuan.getBlockContent": "reads",
  "siyuan.searchDocument": "reads",
  "siyuan.searchKeyword": "reads",
  "siyuan.querySQL": "reads the web",
  "siyuan.appendContent": "changes files or notes",
  "siyuan.createNewDoc": "changes files or notes",
  "siyuan.applyBlockDiff": "changes files or notes",
  "skills.ListSkills": "reads",
  "skills.ReadSkill": "reads",
  "skills.ReadInstructions": "reads",
  "skills.RunSkillScript": "runs code",
  "files.ViewFile": "reads",
  "files.ListFiles": "reads",
  "files.FindFiles": "reads",
  "files.SearchFiles": "reads",
  "files.InspectFile": "reads",
  "retrieval.SearchDocuments": "reads",
  "retrieval.ReadDocuments": "reads",
};

const configuration = {
  roots: ["."],
  dataDir: ".capstan",
  acceptedDir: ".capstan",
  settingsFile: "capstan.config.json",
  web: { allowPrivateHosts: [] },
  code: { write: false, network: false },
  scripts: { folders: [] },
  skills: [],
};

function groupsOf(given: object) {
  return configuredGroups({ ...configuration, groups: {}, ...given });
}

const { sandbox } = await findSandbox();
const groups = builtInGroups({
  roots: ["."],
  changes: "changes",
  skills: { catalog: SkillCatalog.none(), sandbox },
  code: { sandbox },
  scripts: { parsers: languageParsers() },
});
const shipped = groups.flatMap(({ name, tools }) =>
  tools.map((tool) => ({ id: `${name}.${tool.definition.function.name}`, tool })),
);

/**
 * If the policy depends on the arguments, takes that of a call without arguments that loosen it.
 */
function executionOf({ executionPolicy = "ask-once" }: NonNullable<Tool["permission"]>) {
  return typeof executionPolicy === "function" ? executionPolicy({}) : executionPolicy;
}

test("every shipped tool has a kind", () => {
  for (const { id } of shipped) assert.ok(Object.hasOwn(kindOf, id), id);
});

test("every tool with a kind is shipped, even if this machine lacks its interpreter", () => {
  const missing = Object.keys(kindOf).filter((id) => !shipped.some((tool) => tool.id === id));
  assert.deepEqual(missing, []);
});

// Contract: sandbox-62
test("code is off by default, and models can write tools only if the configuration names the group", async () => {
  const unnamed = await configuredGroups({ ...configuration, groups: {} });
  assert.ok(unnamed.some(({ name }) => name === "code"));
  assert.deepEqual(
    unnamed.map(({ name }) => name).filter((name) => !isOnByDefault(name)),
    ["code"],
  );
  const writing = await configuredGroups({ ...configuration, groups: { scripts: true } });
  assert.deepEqual(
    writing.map(({ name }) => name),
    [...unnamed.map(({ name }) => name), "scripts"],
  );
});

test("skills of the configuration are in the group `skills`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-skills-"));
  try {
    mkdirSync(join(folder, "forms"));
    writeFileSync(
      join(folder, "forms/SKILL.md"),
      "---\nname: forms\ndescription: Fills forms.\n---\n",
    );
    const [group] = (await groupsOf({ skills: [folder] })).filter(({ name }) => name === "skills");
    const rule = typeof group?.rulePrompt === "function" ? group.rulePrompt(["ReadSkill"]) : "";
    assert.match(rule, /- forms: Fills forms\./);
    const [none] = (await groupsOf({})).filter(({ name }) => name === "skills");
    assert.equal(none?.tools[0]?.unavailable?.needs, "a folder of skills");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the tools of SiYuan are offered if the configuration names a kernel", async () => {
  const need = async (given: object) =>
    (await groupsOf(given)).find(({ name }) => name === "siyuan")?.tools[0]?.unavailable?.needs;
  assert.equal(await need({}), "a SiYuan kernel");
  assert.equal(await need({ siyuan: { url: "http://127.0.0.1:6806" } }), undefined);
});

for (const { id, tool } of shipped)
  test(`${id} asks as its kind does`, () => {
    const { effects = "write", permission = {} } = tool;
    const kind = kindOf[id];
    assert.deepEqual(
      {
        effects: typeof effects === "string" ? effects : "locks",
        execution: executionOf(permission),
        result: permission.resultApprovalPolicy ?? "never",
      },
      kind === undefined ? undefined : kinds[kind],
    );
  });

test("an approval of a page covers its site, as a pattern that the user sees", () => {
  const fetch = shipped.find(({ id }) => id === "web.FetchWebPage")?.tool;
  const offer = fetch?.permission?.grantScope?.({ url: "https://example.org/a?b" });
  assert.deepEqual(offer, {
    when: { url: { site: "https://example.org" } },
    title: "pages of example.org",
  });
});

test("rules see a file's path from its root, however it is written", () => {
  const view = shipped.find(({ id }) => id === "files.ViewFile")?.tool;
  const shownTo = (path: string) => view?.permission?.canonicalArguments?.({ path })?.["path"];
  for (const path of ["secrets/a", "./secrets//a", "x/../secrets/a", `${process.cwd()}/secrets/a`])
    assert.equal(shownTo(path), "secrets/a");
  assert.equal(shownTo(""), ".");
  assert.equal(shownTo("/etc/passwd"), "/etc/passwd");
});
