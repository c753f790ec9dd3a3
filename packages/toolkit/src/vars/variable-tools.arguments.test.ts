import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { variableTools } from "./variable-tools.ts";

/** Returns a function that calls tools through the gate, like a model. */
function session() {
  const executor = new ToolExecutor();
  executor.registerToolGroup(variableTools());
  executor.toggleGroupEnabled("vars", true);
  executor.variables.addVariable("notes", "abc", "USER_ADD");
  const call = async (name: string, args: object) => executor.execute(name, JSON.stringify(args));
  return { executor, call };
}

// Contract: variables-88
test("a ReadVar call with a negative start or no length is rejected before it runs", async () => {
  const { call } = session();
  for (const range of [{ start: -1 }, { length: 0 }, { length: -5 }, { start: 0.5 }]) {
    const result = await call("ReadVar", { name: "notes", ...range });
    assert.equal(result.status === "error" && result.error.code, "invalid_arguments");
  }
});

// Contract: variables-35
test("a list of an unknown type or page is rejected with the valid values", async () => {
  const { call } = session();
  for (const [args, said] of [
    [{ filter: { type: "Result" } }, /RULE, ToolCallResult, .*USER_ADD/],
    [{ page: 0 }, /from 1/],
  ] as const) {
    const result = await call("ListVars", args);
    assert.equal(result.status === "error" && result.error.code, "invalid_arguments");
    assert.match(result.status === "error" ? result.finalText : "", said);
  }
});

// Contract: variables-71
test("names to remove that are not a list become one if they are unambiguous, and are rejected otherwise", async () => {
  const { executor, call } = session();
  const refused = await call("RemoveVars", { names: { all: true } });
  assert.equal(refused.status === "error" && refused.error.code, "invalid_arguments");
  assert.ok(executor.variables.peekVariable("notes"));
  assert.equal((await call("RemoveVars", { names: "notes" })).status, "success");
  assert.equal(executor.variables.peekVariable("notes"), undefined);
});

// Contract: variables-66
test("any JSON is stored with its type, and a reference passes it on", async () => {
  const { executor, call } = session();
  for (const value of [{ a: [1, "b"] }, [1, 2], 7.5, true, "7.5"]) {
    const written = await call("WriteVar", { name: "odd", value });
    assert.equal(written.status, "success", JSON.stringify(written));
    const { data, text } = executor.variables.getVariable("odd")?.value ?? {};
    assert.deepEqual(data ?? text, value);
    await call("WriteVar", { name: "copy", value: "$VAR_REF{{odd}}" });
    const copy = executor.variables.getVariable("copy")?.value;
    assert.deepEqual(copy?.data ?? copy?.text, value);
  }
});

// Contract: variables-86
test("a text with an escaped reference is stored with the reference as text", async () => {
  const { executor, call } = session();
  await call("WriteVar", { name: "how", value: "write \\$VAR_REF{{notes}}" });
  assert.equal(executor.variables.getVariable("how")?.value.text, "write $VAR_REF{{notes}}");
  await call("WriteVar", { name: "copy", value: "it says $VAR_REF{{notes}}" });
  assert.equal(executor.variables.getVariable("copy")?.value.text, "it says abc");
});
