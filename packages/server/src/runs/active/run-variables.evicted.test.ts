import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const tools = [
  tool("Look", () => ({ found: ["a"] })),
  tool("Use", ({ value }) => ({ used: value })),
  tool("Fill", (_args, { variables }) => {
    for (let n = 0; n < variables.capacity; n++) variables.addVariable(`v${n}`, "x", "LLMAdd");
    return "full";
  }),
];
const call = (name: string, args: object = {}): ScriptedStep => ({ calls: [{ name, args }] });

/** Executes one turn on a new server, as after a restart. */
async function turn(store: Store, parentId: string | null, script: readonly ScriptedStep[]) {
  const runs = createRuns({ store, model: new ScriptedModel([...script, "done"]), tools });
  const { id } = await begin(runs, requestOf("Go.", { parentId }));
  await runIn(store, id, "completed");
  const calls = (await store.readCalls({ owner, runId: id })) ?? [];
  return { id, calls: calls.map((row) => row.call) };
}

const saidOf = (calls: readonly CallRecord[], name: string) =>
  calls.find((one) => one.name === name)?.result?.finalText ?? "";

// Contract: variables-20, variables-79
test("a call reads variables that were evicted from memory, in the same run and in later runs", async () => {
  await withMemoryStore(async (store) => {
    const use = call("Use", { value: "$VAR_REF{{Look_1#/found}}" });
    const first = await turn(store, null, [call("Look"), call("Fill"), use]);
    assert.deepEqual(JSON.parse(saidOf(first.calls, "Use")), { used: ["a"] });
    const second = await turn(store, first.id, [call("Fill"), use]);
    assert.deepEqual(JSON.parse(saidOf(second.calls, "Use")), { used: ["a"] });
    const third = await turn(store, second.id, [use]);
    assert.deepEqual(JSON.parse(saidOf(third.calls, "Use")), { used: ["a"] });
  });
});

// Contract: variables-59
test("the name of a removed result is not reused after a restart, and reading it reports the removal", async () => {
  await withMemoryStore(async (store) => {
    const first = await turn(store, null, [call("Look"), call("Look")]);
    const change = { type: "removed", name: "Look_2", reason: "removed" } as const;
    await store.write([{ type: "edit-variables", owner, runId: first.id, changes: [change] }]);
    const use = call("Use", { value: "$VAR_REF{{Look_2}}" });
    const second = await turn(store, first.id, [use, call("Look")]);
    assert.match(saidOf(second.calls, "Use"), /Look_2 was removed/);
    assert.deepEqual(
      second.calls.map(({ result }) => result?.cacheVarResult),
      [undefined, "Look_4"],
    );
    const kept = (await store.readManifest({ owner, runId: second.id }))?.["Look_2"];
    assert.deepEqual(
      [kept?.removed, kept?.value, kept?.digest, kept?.length],
      [true, undefined, undefined, 0],
    );
  });
});
