import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "@capstan/core";
import { variableTools } from "../vars/variable-tools.ts";
import { todoTools } from "./todo-tools.ts";
import { todoName } from "./todo-item.ts";

function session() {
  const executor = new ToolExecutor();
  for (const group of [variableTools(), todoTools()]) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  const run = (name: string, args: object) => executor.execute(name, JSON.stringify(args));
  const call = async (name: string, args: object) => {
    const result = await run(name, args);
    assert.equal(result.status, "success", JSON.stringify(result));
    return result.finalText;
  };
  const fail = async (name: string, args: object) => {
    const result = await run(name, args);
    assert.ok(result.status === "error", JSON.stringify(result));
    return result.error;
  };
  return {
    executor,
    call,
    fail,
    names: () => executor.variables.names().filter((one) => one.startsWith("TODO_")),
  };
}

test("items are added at the end, changed, and removed when they are done", async () => {
  const { call, names } = session();
  const list = await call("AddTodos", { items: ["Read the configuration", "Write the tests"] });
  assert.equal(list, "0 of 2 done.\n1. [open] Read the configuration\n2. [open] Write the tests");
  assert.deepEqual(names().toSorted(), ["TODO_1_read_the_configuration", "TODO_2_write_the_tests"]);
  await call("ChangeTodo", { item: 1, state: "done" });
  await call("ChangeTodo", {
    item: "TODO_2_write_the_tests",
    state: "doing",
    text: "Write more tests",
  });
  assert.equal(
    await call("ListTodos", {}),
    "1 of 2 done.\n1. [done] Read the configuration\n2. [doing] Write more tests",
  );
  assert.equal(
    await call("ListTodos", { state: "doing" }),
    "0 of 1 done.\n2. [doing] Write more tests",
  );
  assert.match(await call("RemoveTodos", { which: "done" }), /^Removed 1 item\. 0 of 1 done/);
  assert.match(await call("RemoveTodos", { which: "all" }), /The TODO list is empty\./);
  assert.deepEqual(names(), []);
});

test("items of WriteVar and of the tools are one list", async () => {
  const { call } = session();
  await call("WriteVar", {
    name: "TODO_1_read_config",
    value: "open: read config",
    tags: ["todo"],
  });
  await call("WriteVar", { name: "TODO_7_note", value: "a note\nwithout a state" });
  await call("AddTodos", { items: ["Tidy up"] });
  assert.equal(
    await call("ListTodos", {}),
    "0 of 3 done.\n1. [open] read config\n7. [open] a note without a state\n8. [open] Tidy up",
  );
  await call("ChangeTodo", { item: 1, state: "done" });
  assert.equal(await call("ReadVar", { name: "TODO_1_read_config" }), "done: read config");
  assert.match(await call("ListVars", { filter: { tag: "todo" } }), /TODO_8_tidy_up/);
  await call("RemoveVars", { names: ["TODO_7_note"] });
  assert.doesNotMatch(await call("ListTodos", {}), /a note/);
});

test("an item moves to another position, and its variable keeps its tags and its type", async () => {
  const { call, executor } = session();
  await call("AddTodos", { items: ["one", "two", "three"] });
  executor.variables.updateVariable("TODO_3_three", { tags: ["todo", "urgent"], type: "USER_ADD" });
  const list = await call("ChangeTodo", { item: 3, position: 1, state: "doing" });
  assert.equal(list, "0 of 3 done.\n1. [doing] three\n2. [open] one\n3. [open] two");
  const moved = executor.variables.peekVariable("TODO_1_three");
  assert.deepEqual([moved?.type, moved?.tags], ["USER_ADD", ["todo", "urgent"]]);
  assert.match(await call("ChangeTodo", { item: 1, position: 99 }), /3\. \[doing\] three$/);
});

test("parallel calls give each item its own number", async () => {
  const { call, names } = session();
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => call("AddTodos", { items: [`step ${at}`, "same"] })),
  );
  const indexes = names().map((name) => Number(/^TODO_(\d+)_/.exec(name)?.[1]));
  assert.deepEqual(
    indexes.toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
});

test("errors for unknown items list the items", async () => {
  const { call, fail, executor } = session();
  assert.match((await fail("ChangeTodo", { item: 1, state: "done" })).message, /empty/);
  await call("AddTodos", { items: ["one"] });
  assert.match(
    (await fail("ChangeTodo", { item: 4, state: "done" })).message,
    /no item 4\. The items are 1\./,
  );
  assert.equal((await fail("ChangeTodo", { item: 1 })).code, "no_change");
  assert.equal((await fail("RemoveTodos", {})).code, "invalid_arguments");
  assert.equal((await fail("AddTodos", { items: ["ok", " \n "] })).code, "empty_item");
  await call("WriteVar", { name: "TODO_1_other", value: "open: other" });
  const ambiguous = await fail("ChangeTodo", { item: 1, state: "done" });
  assert.match(ambiguous.message, /TODO_1_one, TODO_1_other/);
  executor.variables.updateVariable("TODO_1_one", { keep: true });
  assert.equal((await fail("RemoveTodos", { items: ["TODO_1_one"] })).code, "kept_item");
  assert.match(
    await call("RemoveTodos", { which: "all" }),
    /Removed 1 item\. 0 of 1 done\.\n1\. \[open\] one/,
  );
});

test("a list has at most 200 items", async () => {
  const { call, fail } = session();
  for (let each = 0; each < 4; each++)
    await call("AddTodos", { items: Array.from({ length: 50 }, (_, at) => `s${at}`) });
  assert.equal((await fail("AddTodos", { items: ["more"] })).code, "too_many_items");
});

test("a variable's name has the first words of its item, in any script, and differs from names of results", () => {
  assert.equal(todoName(2, "Write the tests of step 12"), "TODO_2_write_the_tests_of");
  assert.equal(todoName(2, "phase 3 4"), "TODO_2_phase");
  assert.equal(todoName(3, "读取配置文件"), "TODO_3_读取配置文件");
  assert.equal(todoName(4, "!!!"), "TODO_4_step");
  assert.equal(todoName(5, "2026"), "TODO_5_step2026");
});
