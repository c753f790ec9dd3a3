import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ToolGroup } from "@capstan/core";
import { plainStyle } from "../terminal/style.ts";
import { describeTools, findTools, renderFound, renderTools } from "./tools.ts";

const execute = () => "";
const groups: readonly ToolGroup[] = [
  {
    name: "files",
    title: "Files",
    tools: [
      defineTool({
        name: "ViewFile",
        description: "Shows a file.",
        effects: "read",
        permission: { executionPolicy: "auto" },
        execute,
      }),
      defineTool({
        name: "WriteFile",
        description: "Writes a file.",
        effects: { locks: () => ["x"] },
        permission: { executionPolicy: () => "auto", resultApprovalPolicy: "on-error" },
        execute,
      }),
      defineTool({
        name: "Erase",
        description: "",
        permission: { executionPolicy: "deny" },
        execute,
      }),
    ],
  },
  {
    name: "web",
    tools: [
      defineTool({ name: "Fetch", description: "", execute }),
      defineTool({ name: "Search", description: "", unavailable: { needs: "a key" }, execute }),
    ],
  },
];

test("the list shows switches, policies and effects after the rules are applied", () => {
  const described = describeTools(groups, {
    groups: { web: false },
    tools: { "files.WriteFile": false },
    rules: [
      { tool: "*", result: "always" },
      { tool: "files.*", execution: "ask-always" },
      { tool: "files.ViewFile", execution: "ask-once", result: "never" },
    ],
  });
  assert.equal(
    renderTools(described, plainStyle),
    `files · Files
  ViewFile   ask-once    read   by rule
  WriteFile  ask-always  locks  off, result reviewed: always, by rule
  Erase      deny        write  result reviewed: always, by rule

web (off)
  Fetch      ask-once    write  result reviewed: always, by rule
  Search     ask-once    write  needs a key, result reviewed: always, by rule
`,
  );
});

test("rules for some arguments are mentioned, but do not count as the rule", () => {
  const described = describeTools(groups, {
    groups: {},
    tools: {},
    rules: [{ tool: "files.ViewFile", when: { path: "secrets/**" }, execution: "deny" }],
  });
  const [view, write] = described[0]?.tools ?? [];
  assert.deepEqual([view?.execution, view?.ruled, view?.ruled_by_arguments], ["auto", false, true]);
  assert.equal(write?.ruled_by_arguments, false);
  assert.match(renderTools(described, plainStyle), /ViewFile .*other rules for some arguments/);
});

test("without switches and rules a tool has its own policy", () => {
  const described = describeTools(groups, { groups: {}, tools: {}, rules: [] });
  assert.deepEqual(
    described
      .flatMap((group) => group.tools)
      .map((tool) => [
        tool.id,
        tool.default_enabled,
        tool.execution,
        tool.effects,
        tool.result,
        tool.ruled,
      ]),
    [
      ["files.ViewFile", true, "auto", "read", "never", false],
      ["files.WriteFile", true, "depends", "locks", "on-error", false],
      ["files.Erase", true, "deny", "write", "never", false],
      ["web.Fetch", true, "ask-once", "write", "never", false],
      ["web.Search", true, "ask-once", "write", "never", false],
    ],
  );
});

test("a search lists the tools for a task, with the beginning of their descriptions", async () => {
  const ids = (await findTools(groups, "write a document")).slice(0, 2);
  assert.deepEqual(ids, ["files.WriteFile", "files.ViewFile"]);
  const configuration = { groups: {}, tools: {}, rules: [] };
  const tools = describeTools(groups, configuration).flatMap((group) => group.tools);
  const found = ids.flatMap((id) => tools.filter((tool) => tool.id === id));
  assert.equal(
    renderFound(found),
    "files.WriteFile  Writes a file.\nfiles.ViewFile   Shows a file.\n",
  );
  assert.match(renderFound([]), /No tool fits/);
});
