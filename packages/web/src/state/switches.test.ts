import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolGroupView, ToolView } from "@capstan/contract";
import { groupsOn, isToolOn, noSwitches, toolNamesOn, withGroup, withTool } from "./switches.ts";

const tool = (group: string, name: string, more: Partial<ToolView> = {}): ToolView => ({
  id: `${group}.${name}`,
  name,
  description: "",
  parameters: {},
  default_enabled: true,
  always_offered: false,
  unavailable: null,
  execution: "auto",
  ...more,
});
const group = (name: string, on: boolean, tools: readonly ToolView[]): ToolGroupView => ({
  name,
  object: "tool_group",
  title: name,
  description: "",
  default_enabled: on,
  tools,
});
const groups = [
  group("files", true, [
    tool("files", "ListFiles"),
    tool("files", "ViewFile", { default_enabled: false }),
  ]),
  group("constructor", false, [tool("constructor", "Make")]),
];

test("an unchanged switch has its default", () => {
  assert.deepEqual(groupsOn(groups, noSwitches), ["files"]);
  assert.deepEqual([...toolNamesOn(groups, noSwitches)], ["ListFiles"]);
});

test("an unavailable tool is off, whatever its switch", () => {
  const unavailable = { needs: "a key", fix: null };
  const web = group("web", true, [tool("web", "Search", { unavailable })]);
  assert.deepEqual([...toolNamesOn([web], withTool(noSwitches, "web.Search", true))], []);
});

test("switches turn groups and tools on and off", () => {
  const switches = withTool(withGroup(noSwitches, "constructor", true), "files.ListFiles", false);
  assert.deepEqual(groupsOn(groups, switches), ["files", "constructor"]);
  assert.deepEqual([...toolNamesOn(groups, switches)], ["Make"]);
});

test("a tool that is always offered cannot be turned off", () => {
  const always = tool("vars", "ReadVar", { always_offered: true });
  assert.equal(isToolOn(always, withTool(noSwitches, "vars.ReadVar", false)), true);
  const vars = group("vars", false, [always]);
  assert.deepEqual([...toolNamesOn([vars], noSwitches)], []);
  assert.ok(toolNamesOn([...groups, vars], noSwitches).has("ReadVar"));
});
