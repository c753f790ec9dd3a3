import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, defineToolGroup, ToolExecutor } from "@capstan/core";
import { listTools, pageOf } from "./tool-list.ts";

const named = (name: string, description = name, more: object = {}) => ({
  ...defineTool({
    name,
    description,
    parameters: { type: "object", properties: {} },
    execute: () => "",
  }),
  ...more,
});

function executorWith(groups: { readonly [name: string]: readonly ReturnType<typeof named>[] }) {
  const executor = new ToolExecutor();
  for (const [name, tools] of Object.entries(groups)) {
    executor.registerToolGroup(defineToolGroup({ name, tools }));
    executor.toggleGroupEnabled(name, true);
  }
  return executor;
}

test("names have at most 48 characters and are unique", () => {
  const long = "a".repeat(60);
  const executor = executorWith({
    one: [named(`${long}b`), named(`${long}c`), named("Same"), named("AwaitCall")],
    two: [named("Same")],
  });
  const names = [...listTools(executor, { reserved: ["AwaitCall"] }).keys()];
  assert.equal(new Set(names).size, 5);
  for (const name of names) assert.match(name, /^[\w-]{1,48}$/);
  assert.ok(!names.includes("AwaitCall"));
  // The names do not change between lists.
  assert.deepEqual([...listTools(executor, { reserved: ["AwaitCall"] }).keys()], names);
});

test("tools that a program cannot call are not listed", () => {
  const executor = executorWith({
    one: [
      named("Shown"),
      named("Hidden", "", { hidden: true }),
      named("Lacking", "", { unavailable: { needs: "a key" } }),
      named("OfClient", "", { execute: undefined }),
    ],
  });
  assert.deepEqual([...listTools(executor, {}).keys()], ["Shown"]);
});

test("descriptions have at most 1,024 characters", () => {
  const executor = executorWith({ one: [named("Long", "x".repeat(5_000))] });
  const { definition } = listTools(executor, {}).get("Long") ?? {};
  assert.equal(definition?.description?.length, 1_024);
});

test("a list is read in pages, and an unknown cursor has no page", () => {
  const all = Array.from({ length: 95 }, (_, n) => n);
  const seen: number[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const found: ReturnType<typeof pageOf<number>> = pageOf(all, cursor);
    seen.push(...(found?.page ?? []));
    cursor = found?.nextCursor;
  }
  assert.deepEqual(seen, all);
  for (const cursor of ["95", "-1", "x", "1.5"]) assert.equal(pageOf(all, cursor), undefined);
  assert.deepEqual(pageOf([], undefined), { page: [] });
});
