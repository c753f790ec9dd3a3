import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolGroupView } from "@capstan/contract";
import { ruleArguments, ruleSubjects } from "./rule-suggestions.ts";

const tool = (id: string, parameters: unknown) => ({
  id,
  name: id.split(".")[1] ?? "",
  description: `Does ${id}.`,
  parameters,
  default_enabled: true,
  always_offered: false,
  unavailable: null,
  execution: "auto",
});
const groups: readonly ToolGroupView[] = [
  {
    name: "files",
    object: "tool_group",
    title: "Files",
    description: "",
    default_enabled: true,
    tools: [
      tool("files.View", { properties: { path: { type: "string" }, from: { type: "integer" } } }),
      tool("files.Find", { properties: { path: { type: ["string", "null"] } } }),
      tool("files.Odd", null),
    ],
  },
];

test("the suggestions are all tools, each group and each tool", () => {
  assert.deepEqual(
    ruleSubjects(groups).map(({ pattern }) => pattern),
    ["*", "files.*", "files.View", "files.Find", "files.Odd"],
  );
});

test("suggested arguments have their types; arguments of a group have a type if all of its tools agree", () => {
  assert.deepEqual(
    [...ruleArguments(groups, "files.View")],
    [
      ["path", "string"],
      ["from", "integer"],
    ],
  );
  assert.deepEqual(ruleArguments(groups, "files.*").get("path"), undefined);
  assert.deepEqual([...ruleArguments(groups, "*").keys()], ["path", "from"]);
  assert.equal(ruleArguments(groups, "web.Get").size, 0);
});
