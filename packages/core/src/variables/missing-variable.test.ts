import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import { readAllValues, readBack } from "./missing-variable.ts";
import type { Variable, VariableChange } from "./variable.ts";
import { VariableSystem } from "./variable-system.ts";

/** A system that stores `capacity` variables, and a source with all variables that ever existed. */
function withStore(capacity: number) {
  const variables = new VariableSystem({ capacity });
  const stored = new Map<string, Variable>();
  const asked: string[] = [];
  variables.subscribe((change) => {
    if (change.type === "set") stored.set(change.variable.name, change.variable);
  });
  variables.source = async (name) => (asked.push(name), stored.get(name));
  return { variables, stored, asked };
}

const join = defineTool({
  ...reads,
  name: "Join",
  parameters: { type: "object", additionalProperties: { type: "string" } },
  SKIP_CACHE_RESULT: true,
  execute: (args) => Object.values(args).join(" "),
});

// Contract: variables-20
test("a call gets an evicted value from the source", async () => {
  const { variables } = withStore(2);
  const executor = executorWith([join], { variables });
  for (const name of ["a", "b", "c"]) variables.addVariable(name, `value ${name}`, "USER_ADD");
  assert.equal(variables.peekVariable("a"), undefined);
  const result = await executor.execute("Join", { x: "$VAR_REF{{a}}", y: "$VAR_REF{{c}}" });
  assert.equal(result.status === "success" && result.data, "value a value c");
  assert.equal(variables.peekVariable("b"), undefined);
});

test("a result is restored with its arguments, by any of its names, with its data", async () => {
  for (const name of ["Look_1", "Look_1_result", "Look_1_args"]) {
    const { variables } = withStore(1);
    variables.keepResult("Look", { text: "[1]", data: [1] }, { at: "x" });
    variables.addVariable("other", "x", "USER_ADD");
    assert.equal(await readBack(variables, name), true, name);
    assert.deepEqual(variables.getVariable("Look_1")?.value, { text: "[1]", data: [1] });
    assert.deepEqual(variables.getVariable("Look_1_args")?.value.data, { at: "x" });
    assert.equal(variables.size, 1);
  }
});

test("values that do not fit in memory together are an error, and nothing loops", async () => {
  const { variables, asked } = withStore(2);
  const executor = executorWith([join], { variables });
  for (const name of ["a", "b", "c"]) variables.addVariable(name, name, "USER_ADD");
  assert.equal(variables.size, 2);
  const args = { x: "$VAR_REF{{a}}", y: "$VAR_REF{{b}}", z: "$VAR_REF{{c}}" };
  const result = await executor.execute("Join", args);
  assert.equal(result.status === "error" && result.error.code, "variable_evicted");
  assert.ok(asked.length <= 3, asked.join(" "));
});

test("a variable that was removed, never existed, or is not in the source remains missing", async () => {
  const { variables, stored, asked } = withStore(1);
  variables.addVariable("removed", "x", "USER_ADD");
  variables.removeVariables(["removed"]);
  assert.equal(await readBack(variables, "removed"), false);
  assert.deepEqual(asked, [], "the source is not asked for it");
  assert.equal(await readBack(variables, "never"), false);
  variables.addVariable("lost", "x", "USER_ADD");
  variables.addVariable("other", "x", "USER_ADD");
  stored.delete("lost");
  assert.equal(await readBack(variables, "lost"), false);
  assert.equal(variables.missingVariable("lost").code, "variable_evicted");
});

test("a variable that was created during the read is not overwritten", async () => {
  const { variables, stored } = withStore(1);
  const release = Promise.withResolvers<void>();
  variables.addVariable("a", "old", "USER_ADD");
  variables.addVariable("b", "b", "USER_ADD");
  variables.source = async (name) => (await release.promise, stored.get(name));
  const coming = readBack(variables, "a");
  variables.addVariable("a", "new", "USER_ADD");
  release.resolve();
  assert.equal(await coming, true);
  assert.equal(variables.getVariable("a")?.value.text, "new");
});

/** A system that lists a long variable whose value only the source has. */
function withUnread() {
  const whole = new VariableSystem();
  whole.addVariable("long", { text: "[1,2,3]", data: [1, 2, 3] }, "USER_ADD", "numbers");
  whole.addVariable("other", "x", "USER_ADD");
  const variables = new VariableSystem();
  const stored = new Map(whole.snapshot().map((variable) => [variable.name, variable]));
  variables.load(whole.listVariables().toReversed());
  const asked: string[] = [];
  variables.source = async (name) => (asked.push(name), stored.get(name) ?? "corrupt");
  return { variables, stored, asked, whole };
}

// Contract: variables-94
test("a variable that was loaded without its value is listed and counted, but not read", () => {
  const { variables, whole, asked } = withUnread();
  assert.deepEqual(variables.listVariables(), whole.listVariables());
  assert.deepEqual([variables.bytes, variables.size], [whole.bytes, whole.size]);
  assert.equal(variables.bytesInMemory, 0);
  assert.equal(variables.getVariable("long"), undefined);
  assert.equal(variables.missingVariable("long").code, "variable_not_in_memory");
  assert.deepEqual(asked, []);
});

test("references and readers read a value once, when they need it", async () => {
  const { variables, asked } = withUnread();
  const executor = executorWith([join], { variables });
  const args = { x: "$VAR_REF{{long}}", y: "$VAR_REF{{long:1:3}}", z: "$VAR_REF{{long#/2}}" };
  const result = await executor.execute("Join", args);
  assert.equal(result.status === "success" && result.data, "[1,2,3] 1,2 3");
  assert.deepEqual(asked, ["long"]);
  assert.equal(variables.bytesInMemory, variables.peekVariable("long")?.bytes);
  assert.equal(await readBack(variables, "long"), true);
  assert.deepEqual(asked, ["long"]);
  await readAllValues(variables);
  assert.deepEqual(asked, ["long", "other"]);
});

test("a variable whose value the source cannot read is corrupt", async () => {
  const { variables, stored } = withUnread();
  stored.clear();
  assert.equal(await readBack(variables, "long"), false);
  assert.equal(variables.missingVariable("long").code, "variable_corrupt");
  assert.deepEqual(variables.corruptNames(), ["long"]);
  assert.equal(variables.size, 1);
});

test("a new value replaces one that was not read, also during the read", async () => {
  const { variables, asked } = withUnread();
  const reading = readBack(variables, "long");
  variables.addVariable("long", "new", "USER_ADD");
  assert.equal(await reading, true);
  assert.equal(variables.getVariable("long")?.value.text, "new");
  variables.addVariable("other", "newer", "USER_ADD");
  assert.equal(await readBack(variables, "other"), true);
  assert.deepEqual(asked, ["long"]);
});

test("the description of a variable changes only with its value in memory", async () => {
  const { variables } = withUnread();
  const refused = variables.updateVariable("long", { desc: "new" });
  assert.equal(refused.status === "refused" && refused.error.code, "variable_not_in_memory");
  await readBack(variables, "long");
  const changes: VariableChange[] = [];
  variables.subscribe((change) => void changes.push(change));
  variables.updateVariable("long", { desc: "new" });
  assert.equal(changes[0]?.type === "set" && changes[0].variable.value.text, "[1,2,3]");
});

test("a variable without its value is removed, evicted and copied like any other", async () => {
  const { variables, whole } = withUnread();
  assert.deepEqual(variables.fork().listVariables(), whole.listVariables());
  assert.deepEqual(variables.removeVariables(["long"]).removed, ["long"]);
  assert.equal(variables.bytes, 1);
  const small = VariableSystem.restore(whole.listVariables().toReversed(), { capacity: 1 });
  assert.deepEqual(small.names(), ["other"]);
});
