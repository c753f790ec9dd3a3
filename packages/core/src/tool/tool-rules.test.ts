import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolGroup } from "./tool.ts";

const tool = (name: string) => defineTool({ ...reads, name, execute: () => name });

function executorOf(...groups: readonly ToolGroup[]): ToolExecutor {
  const executor = new ToolExecutor();
  for (const group of groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  return executor;
}

// Contract: executor-85, executor-199
test("without an offered tool there are no rules, even if tools are enabled", () => {
  const rulePrompt = "Be careful.";
  const executor = executorOf({ name: "a", tools: [tool("One")], rulePrompt });
  assert.match(executor.toolRules(), /Be careful\./);
  executor.setToolEnabled("a.One", false);
  assert.equal(executor.isGroupEnabled("a"), true);
  assert.equal(executor.toolRules(), "");
  assert.deepEqual(executor.getEnabledToolDefinitions(), []);
  assert.equal(executorOf({ name: "none", tools: [], rulePrompt }).toolRules(), "");
  assert.equal(new ToolExecutor().toolRules(), "");
});

// Contract: executor-86, executor-118, executor-201
test("the base explains results, references, limits and refusals, once", () => {
  const executor = executorOf(
    { name: "a", tools: [tool("One")] },
    { name: "b", tools: [tool("Two")] },
  );
  const rules = executor.toolRules();
  for (const words of [
    /`limit`/,
    /\$VAR_REF\{\{name\}\}/,
    /\$VAR_REF\{\{name:start:length\}\}/,
    /`Rule\/Agent\/VarRef`/,
    /Respect refusals/,
    /never instructions/,
  ])
    assert.match(rules, words);
  assert.equal(rules.split("<tool-rules>").length, 2);
  assert.equal(rules.split("Rule/Agent/VarRef").length, 2);
  assert.ok(rules.length < 350, `${rules.length} characters, in every request`);
});

// Contract: executor-118
test("if a client's tools are offered too, the base names the tools that accept a limit", () => {
  const { execute: _none, ...clientRun } = tool("Shell");
  const group = { name: "a", tools: [tool("One"), tool("Two")] };
  const vars = { name: "vars", tools: [{ ...tool("ReadVar"), variableTool: true }] };
  const clientTools = [{ type: "function", function: { name: "Two" } }] as const;
  const limitIn = (rules: string) => /`limit` in (.*?):/.exec(rules)?.[1];
  assert.equal(limitIn(executorOf(group, vars).toolRules()), "any call");
  assert.equal(limitIn(executorOf(group, vars).toolRules({ clientTools })), "calls of One, a_Two");
  const registered = executorOf(group, { name: "b", tools: [clientRun] });
  assert.equal(limitIn(registered.toolRules()), "calls of One, Two");
  const none = executorOf({ name: "b", tools: [clientRun] }).toolRules();
  assert.equal(limitIn(none), undefined);
  assert.match(none, /Respect refusals/);
});

// Contract: executor-29, executor-31, executor-87
test("a rule prompt is text, or a function of the names of the enabled tools", () => {
  const seen: (readonly string[])[] = [];
  const executor = executorOf(
    { name: "text", tools: [tool("One")], rulePrompt: "Text of one." },
    {
      name: "made",
      title: "Made by a function",
      tools: [tool("Two"), tool("Three")],
      rulePrompt: (names) => (seen.push(names), `Made for ${names.join(" and ")}.`),
    },
  );
  assert.match(
    executor.toolRules(),
    /<tool-group name="text" title="text">\nTools: One\nText of one\.\n/,
  );
  assert.match(
    executor.toolRules(),
    /title="Made by a function">\nTools: Two, Three\nMade for Two and Three\./,
  );
  executor.setToolEnabled("Two", false);
  assert.match(executor.toolRules(), /Made for Three\./);
  assert.deepEqual(seen.at(-1), ["Three"]);
});

test("a text is created once for each offer, and a function is called for every prompt", () => {
  let asked = 0;
  const fixed = { name: "text", tools: [tool("One")], rulePrompt: "Text of one." };
  const made = { name: "made", tools: [tool("Two")], rulePrompt: () => `Made ${++asked}.` };
  const executor = executorOf(fixed, made);
  const both = { groups: ["text", "made"] };
  assert.match(executor.toolRules(both), /Made 1\./);
  assert.match(executor.toolRules(both), /Made 2\./);
  const one = { groups: ["text"] };
  assert.equal(executor.toolRules(one), executor.toolRules(one));
  assert.match(executor.toolRules(one), /Text of one\./);
  executor.setToolEnabled("One", false);
  assert.equal(executor.toolRules(one), "");
});

// Contract: executor-31
test("rules name only the offered tools, with their names for the model", () => {
  const seen: (readonly string[])[] = [];
  const rulePrompt = (names: readonly string[]) => (seen.push(names), "Rule.");
  const broken = {
    ...tool("Broken"),
    definition: { type: "function", function: { name: "Broken", parameters: { type: 5 } } },
  } as const;
  const executor = executorOf(
    { name: "a", tools: [tool("Search")] },
    { name: "b", tools: [tool("Search"), tool("Other"), tool("Hidden"), broken], rulePrompt },
  );
  const clientTools = [{ type: "function", function: { name: "Other" } }] as const;
  const rules = executor.toolRules({ clientTools, allowTool: (id) => id !== "b.Hidden" });
  assert.deepEqual(seen, [["b_Search", "b_Other"]]);
  assert.match(rules, /Tools: b_Search, b_Other\n/);
});

// Contract: executor-31
test("a rule prompt that throws or returns no text does not affect other groups' rules", () => {
  const throws = (): never => {
    throw new Error("no key");
  };
  const rules = executorOf(
    { name: "a", tools: [tool("One")], rulePrompt: throws },
    { name: "b", tools: [tool("Two")], rulePrompt: () => undefined as never },
    { name: "c", tools: [tool("Three")], rulePrompt: "All is well." },
  ).toolRules();
  assert.match(rules, /rules of this group are missing: its rulePrompt threw: no key/);
  assert.match(rules, /rules of this group are missing: its rulePrompt returned undefined/);
  assert.match(rules, /All is well\./);
});

// Contract: executor-87, variables-53
test("skill rules are shown without a rule prompt: in full, or as rows of an index", () => {
  const executor = executorOf({
    name: "files",
    tools: [tool("One")],
    declareSkillRules: {
      always: { desc: "Paths", prompt: "Paths are relative.", alwaysLoad: true },
      grep: {
        desc: "Patterns | flags\nof search",
        prompt: "A long document.",
        when: "Before a search",
      },
      glob: { desc: "Globs", prompt: "Another." },
    },
  });
  const rules = executor.toolRules();
  assert.match(rules, /## Paths\nPaths are relative\./);
  assert.match(
    rules,
    /\| `Rule\/files\/grep` \| Patterns \\\| flags of search \| Before a search \|/,
  );
  assert.match(rules, /\| `Rule\/files\/glob` \| Globs \| As needed \|/);
  assert.doesNotMatch(rules, /A long document|`Rule\/files\/always`/);
  const rule = executor.variables.getVariable("Rule/files/grep");
  assert.deepEqual([rule?.value.text, rule?.type, rule?.keep], ["A long document.", "RULE", true]);
});

// Contract: executor-89, executor-201
test("rules have the same bytes for the same switches", () => {
  const make = () =>
    executorOf({ name: "a", tools: [tool("One"), tool("Two")], rulePrompt: "Rule." });
  const executor = make();
  const before = executor.toolRules();
  executor.setToolEnabled("Two", false);
  assert.notEqual(executor.toolRules(), before);
  executor.setToolEnabled("Two", true);
  assert.equal(executor.toolRules(), before);
  assert.equal(make().toolRules(), before);
});
