import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup, type ToolGroup } from "@capstan/core";
import { z } from "zod";
import { checkBoundTools, checkSwitches, requireHostedTools } from "./check-tools.ts";

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
      attachmentTools: { document: ["charts.Drwa"] },
    },
    groups,
  );
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? "", /^attachmentTools\.document: there is no tool "charts\.Drwa"\./);
  assert.match(
    warnings[1] ?? "",
    /^toolSettings\.charts\.Open has no effect: it is final and has no/,
  );
});

test("a tool that does not exist or does not fit its hosted type is an error that states the expected tool", () => {
  const search = defineTool({
    name: "Web",
    description: "",
    parameters: z.object({ query: z.string(), pages: z.number() }),
    execute: () => "",
  });
  const draw = defineTool({ name: "Draw", description: "", execute: () => "drawn" });
  const unavailable = { needs: "a key", fix: "Set PAINT_KEY." };
  const paint = defineTool({ name: "Paint", description: "", unavailable, execute: () => "" });
  const groups = [defineToolGroup({ name: "search", tools: [search, draw, paint] })];
  const check = (hostedTools: { readonly [type: string]: string }) => () =>
    requireHostedTools(
      { hostedTools, places: { "hostedTools.web_search": "capstan.config.json:4" } },
      groups,
    );
  check({ web_search: "search.Web", file_search: "search.Web" })();
  assert.throws(check({ web_search: "search.Wbe" }), {
    code: "invalid_configuration",
    message:
      'capstan.config.json:4: hostedTools.web_search: there is no tool "search.Wbe". Did you mean search.Web?',
  });
  assert.throws(check({ image_generation: "search.Draw" }), {
    code: "invalid_configuration",
    message:
      "hostedTools.image_generation: the tool \"search.Draw\" cannot run 'image_generation', because it has no text argument prompt. Bind a tool of the server with such an argument.",
  });
  assert.throws(check({ image_generation: "search.Paint" }), {
    message:
      "hostedTools.image_generation: the tool \"search.Paint\" cannot run 'image_generation', because it needs a key (Set PAINT_KEY.). Provide that, or remove the setting.",
  });
  assert.throws(check({ code_interpreter: "code.Python" }), {
    message:
      'hostedTools.code_interpreter: there is no tool "code.Python". The group "code" does not exist, or is off: switch it on with "groups": {"code": true}.',
  });
});
