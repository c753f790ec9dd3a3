import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup, type ToolGroup } from "@capstan/core";
import { checkBoundTools, checkSwitches } from "./check-tools.ts";

const groups: readonly ToolGroup[] = [
  {
    name: "files",
    tools: [defineTool({ name: "ViewFile", description: "", execute: () => "" })],
  },
];

test("switches and rules of existing tools cause no warning", () => {
  const configuration = {
    groups: { files: true },
    agents: { reader: { groups: [{ group: "files" }] } },
    tools: { "files.ViewFile": false },
    rules: [{ tool: "*" }, { tool: "files.*" }, { tool: "files.ViewFile" }],
    places: {},
  };
  assert.deepEqual(checkSwitches(configuration, groups), []);
});

test("a switch or a rule of an unknown tool is named, with the nearest name", () => {
  const configuration = {
    groups: { file: true },
    agents: { reader: { groups: [{ group: "fles" }] } },
    tools: { "files.VeiwFile": false },
    rules: [{ tool: "filse.*" }],
    places: {
      "groups.file": "c.json:2",
      "tools.files.VeiwFile": "c.json:3",
      "agents.reader.groups[0]": "c.json:5",
      "rules[0].tool": "c.json:4",
    },
  };
  assert.deepEqual(checkSwitches(configuration, groups), [
    'c.json:2: groups: there is no group "file". Did you mean files?',
    'c.json:3: tools: there is no tool "files.VeiwFile". Did you mean files.ViewFile?',
    'c.json:5: agents.reader.groups[0]: there is no group "fles". Did you mean files?',
    'c.json:4: rules[0].tool: there is no tool or group "filse.*". Did you mean files.*?',
  ]);
});

test("if no name is similar, the group's tools are listed, or the groups", () => {
  const configuration = {
    groups: {},
    tools: {},
    agents: {},
    rules: [{ tool: "files.Erase" }, { tool: "machines.Start" }],
    places: {},
  };
  assert.deepEqual(checkSwitches(configuration, groups), [
    'rules[0].tool: there is no tool or group "files.Erase". files has ViewFile.',
    'rules[1].tool: there is no tool or group "machines.Start". There are the groups files.',
  ]);
});

test("bound and changed tools that do not exist, or cannot have a setting, are named", () => {
  const draw = defineTool({ name: "Draw", description: "", execute: () => "drawn" });
  const open = defineTool({ name: "Open", description: "" });
  const groups = [defineToolGroup({ name: "charts", tools: [draw, open] })];
  const warnings = checkBoundTools(
    {
      toolSettings: { "charts.Draw": { final: true }, "charts.Open": { final: true } },
      hostedTools: { image_generation: "charts.Drwa" },
      attachmentTools: { document: ["charts.Draw"] },
    },
    groups,
  );
  assert.equal(warnings.length, 2);
  assert.match(
    warnings[0] ?? "",
    /^hostedTools\.image_generation: there is no tool "charts\.Drwa"\./,
  );
  assert.match(
    warnings[1] ?? "",
    /^toolSettings\.charts\.Open has no effect: it is final and has no/,
  );
});
