import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ToolGroup } from "@capstan/core";
import { checkSwitches } from "./check-switches.ts";

const groups: readonly ToolGroup[] = [
  {
    name: "files",
    tools: [defineTool({ name: "ViewFile", description: "", execute: () => "" })],
  },
];

test("switches and rules of what exists pass", () => {
  const configuration = {
    groups: { files: true },
    tools: { "files.ViewFile": false },
    rules: [{ tool: "*" }, { tool: "files.*" }, { tool: "files.ViewFile" }],
  };
  assert.deepEqual(checkSwitches(configuration, groups), []);
});

test("a switch or a rule of what does not exist is named, with the nearest name", () => {
  const configuration = {
    groups: { file: true },
    tools: { "files.VeiwFile": false },
    rules: [{ tool: "filse.*" }],
  };
  assert.deepEqual(checkSwitches(configuration, groups), [
    'groups: there is no group "file". Did you mean files?',
    'tools: there is no tool "files.VeiwFile". Did you mean files.ViewFile?',
    'rules[0].tool: there is no tool or group "filse.*". Did you mean files.*?',
  ]);
});
