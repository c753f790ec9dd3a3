import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup, ToolExecutor, type ToolGroup } from "@capstan/core";
import { followLibrary } from "./tool-library.ts";

const group = (name: string, ...tools: readonly string[]): ToolGroup =>
  defineToolGroup({
    name,
    tools: tools.map((tool) =>
      defineTool({
        name: tool,
        description: "",
        permission: { executionPolicy: "auto" },
        execute: () => tool,
      }),
    ),
  });

function library(...groups: readonly ToolGroup[]) {
  let listener = () => {};
  const changing = {
    groups,
    subscribe: (given: () => void) => {
      listener = given;
      return () => void (listener = () => {});
    },
  };
  const change = (...next: readonly ToolGroup[]) => {
    changing.groups = next;
    listener();
  };
  return { changing, change };
}

// Contract: scripts-62
test("an executor's groups follow those of the library, and the changes are announced", async () => {
  const [a, b] = [group("a", "One"), group("b", "Two")];
  const { changing, change } = library(a);
  const executor = new ToolExecutor();
  followLibrary(changing, executor, { isOn: () => true });
  const changes: string[] = [];
  executor.subscribe((event) => {
    if ("group" in event) changes.push(`${event.type} ${event.group}`);
  });
  const names = () =>
    executor.getEnabledToolDefinitions().map((definition) => definition.function.name);
  assert.deepEqual(names(), ["One"]);
  change(a, b);
  assert.deepEqual(names(), ["One", "Two"]);
  assert.deepEqual(changes.splice(0), ["group.registered b", "group.switched b"]);
  change(group("a", "Three"), b);
  assert.deepEqual(names().toSorted(), ["Three", "Two"]);
  assert.deepEqual(changes.splice(0), ["group.unregistered a", "group.registered a"]);
  change();
  assert.deepEqual(names(), []);
  assert.equal((await executor.execute("Two", {})).status, "not_found");
});

// Contract: scripts-62
test("a disabled group stays disabled when its file changes", () => {
  const { changing, change } = library(group("a", "One"));
  const executor = new ToolExecutor();
  followLibrary(changing, executor, { isOn: () => true });
  executor.toggleGroupEnabled("a", false);
  change(group("a", "Two"));
  assert.equal(executor.isGroupEnabled("a"), false);
});

// Contract: scripts-62
test("a running call ends normally although its group is removed", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = defineTool({
    name: "Slow",
    description: "",
    permission: { executionPolicy: "auto" },
    execute: () => promise,
  });
  const { changing, change } = library(defineToolGroup({ name: "a", tools: [slow] }));
  const executor = new ToolExecutor();
  followLibrary(changing, executor, { isOn: () => true });
  const call = executor.execute("Slow", {});
  change();
  resolve("done");
  const result = await call;
  assert.equal(result.status === "success" && result.data, "done");
});
