import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { variableTools } from "./variable-tools.ts";

// Contract: variables-56, variables-91
test("a list of steps follows Rule/Agent/TODO", async () => {
  const executor = new ToolExecutor();
  executor.registerToolGroup(variableTools());
  executor.toggleGroupEnabled("vars", true);
  const call = async (name: string, args: string) => {
    const result = await executor.execute(name, args);
    assert.equal(result.status, "success", JSON.stringify(result));
    return result.status === "success" ? result.finalText : "";
  };
  const rule = await call("ReadVar", '{"name":"Rule/Agent/TODO"}');
  assert.match(rule, /AddTodos, ListTodos, ChangeTodo and RemoveTodos/);
  assert.match(
    rule,
    /`TODO_\{index\}_\{brief\}`, e\.g\. `TODO_1_read_config`, with the tag `todo`/,
  );

  for (const [index, brief] of ["read_config", "write_tests", "tidy_up"].entries()) {
    const name = `TODO_${index + 1}_${brief}`;
    await call("WriteVar", JSON.stringify({ name, value: `open: ${brief}`, tags: ["todo"] }));
  }
  await call("WriteVar", '{"name":"TODO_1_read_config","value":"done: read_config"}');
  const [, listing = "{}"] = /`ListVars\((.*?)\)`/.exec(rule) ?? [];
  const list = await call("ListVars", listing);
  for (const name of ["TODO_1_read_config", "TODO_2_write_tests", "TODO_3_tidy_up"])
    assert.ok(list.includes(name), `${name} is listed`);
  assert.match(await call("ReadVar", '{"name":"TODO_1_read_config"}'), /^done: /);
  const names = ["TODO_1_read_config", "TODO_2_write_tests", "TODO_3_tidy_up"];
  await call("RemoveVars", JSON.stringify({ names }));
  assert.equal(await call("ListVars", listing), "There is no such variable.");
});
