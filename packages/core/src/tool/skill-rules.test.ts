import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { VariableSystem } from "../variables/variable-system.ts";
import { defineTool } from "./define-tool.ts";
import type { SkillRule, ToolGroup } from "./tool.ts";

const tool = (name: string) => defineTool({ ...reads, name, execute: () => name });

function groupWith(rules: { readonly [name: string]: SkillRule }, name = "notes"): ToolGroup {
  return { name, tools: [tool("Look")], declareSkillRules: rules };
}

function executorOf(group: ToolGroup, variables = new VariableSystem()): ToolExecutor {
  const executor = new ToolExecutor({ variables });
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled(group.name, true);
  return executor;
}

const how = { desc: "How to look", prompt: "Look twice.", when: "Before the first look" };

// Contract: executor-32, executor-72, executor-197, variables-10, variables-52
test("from its registration on, a group's rule is a variable with keep and a row in the prompt", () => {
  const variables = new VariableSystem({ capacity: 1 });
  variables.updateVariable("pinned", { value: "p", type: "USER_ADD", keep: true });
  const executor = executorOf(groupWith({ how }), variables);
  const rule = executor.variables.getVariable("Rule/notes/how");
  assert.deepEqual(
    [rule?.value.text, rule?.type, rule?.keep, rule?.desc],
    ["Look twice.", "RULE", true, "Skill rule for notes: How to look"],
  );
  const rules = executor.toolRules();
  assert.match(rules, /\| `Rule\/notes\/how` \| How to look \| Before the first look \|/);
  assert.doesNotMatch(rules, /Look twice\./);
});

test("declaring a rule again announces a change only if the rule differs", () => {
  const variables = new VariableSystem();
  executorOf(groupWith({ how }), variables);
  const changed: string[] = [];
  variables.subscribe((change) => change.type === "set" && changed.push(change.variable.name));
  executorOf(groupWith({ how }), variables);
  assert.deepEqual(changed, []);
  executorOf(groupWith({ how: { ...how, prompt: "Look once." } }), variables);
  assert.deepEqual(changed, ["Rule/notes/how"]);
  assert.equal(variables.getVariable("Rule/notes/how")?.value.text, "Look once.");
});

// Contract: executor-32, executor-88, variables-53
test("a rule that is always loaded appears in the prompt, not in the index", () => {
  const executor = executorOf(groupWith({ how: { ...how, alwaysLoad: true } }));
  assert.match(executor.toolRules(), /## How to look\nLook twice\./);
  assert.doesNotMatch(executor.toolRules(), /Rule\/notes\/how/);
  assert.equal(executor.variables.peekVariable("Rule/notes/how")?.type, "RULE");
});

// Contract: executor-32, executor-183, variables-90
test("a group with rules and no rulePrompt shows them only while it is enabled", () => {
  const executor = executorOf(groupWith({ how }));
  executor.registerToolGroup({ name: "other", tools: [tool("Other")] });
  executor.toggleGroupEnabled("other", true);
  executor.toggleGroupEnabled("notes", false);
  assert.doesNotMatch(executor.toolRules(), /Rule\/notes\/how/);
});

// Contract: executor-88, executor-202, variables-89
test("a rule's own text cannot break the table", () => {
  const odd = { desc: "a | b\nc", prompt: "x", when: "1 | 2" };
  const rules = executorOf(groupWith({ odd })).toolRules();
  assert.match(rules, /\| `Rule\/notes\/odd` \| a \\\| b c \| 1 \\\| 2 \|/);
  const plain = executorOf(groupWith({ plain: { desc: "d", prompt: "x" } })).toolRules();
  assert.match(plain, /\| d \| As needed \|/);
});

// Contract: variables-54
test("a rule with an unusable name or without a text is rejected with its group", () => {
  const refused: { readonly [why: string]: ToolGroup } = {
    "must not end like a slice": groupWith({ "how:3": how }),
    "must not contain `}}`": groupWith({ "how}": how }),
    '"how" of "notes" needs desc and prompt': groupWith({ how: { desc: "d", prompt: " " } }),
    '"dull" of "notes" needs desc and prompt': groupWith({ dull: { desc: "", prompt: "p" } }),
    "is reserved for the rules": groupWith({ VarRef: how }, "Agent"),
  };
  for (const [why, group] of Object.entries(refused)) {
    const executor = new ToolExecutor();
    const before = executor.variables.names();
    assert.throws(
      () => executor.registerToolGroup(group),
      (thrown: { code: string; message: string }) =>
        thrown.code === "invalid_tool_group" && thrown.message.includes(why),
    );
    assert.deepEqual([executor.groups(), executor.variables.names()], [[], before]);
  }
});

// Contract: executor-196, variables-56
test("every session has the agent's rules; the list of steps is offered if variables can be written", () => {
  const executor = executorOf(groupWith({ how }));
  assert.equal(executor.variables.peekVariable("Rule/Agent/VarRef")?.keep, true);
  assert.equal(executor.variables.peekVariable("Rule/Agent/TODO")?.keep, true);
  assert.match(executor.toolRules(), /see `Rule\/Agent\/VarRef`/);
  assert.doesNotMatch(executor.toolRules(), /Rule\/Agent\/TODO/);
  executor.registerToolGroup({ name: "vars", tools: [tool("WriteVar")] });
  executor.toggleGroupEnabled("vars", true);
  assert.match(executor.toolRules(), /\| `Rule\/Agent\/TODO` \|/);
});

// Contract: variables-55
test("the agent's rules are short", () => {
  const { variables } = new ToolExecutor();
  for (const name of ["Rule/Agent/VarRef", "Rule/Agent/TODO"]) {
    const length = variables.peekVariable(name)?.length ?? Infinity;
    assert.ok(length < 1_500, `${name} has ${length} characters`);
  }
});
