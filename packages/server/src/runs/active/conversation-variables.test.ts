import assert from "node:assert/strict";
import { test } from "node:test";
import { VariableSystem } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { ConversationVariables } from "./conversation-variables.ts";
import { defaultServerLimits } from "../request/run-limits.ts";
import {
  asking,
  begin,
  createRuns,
  executorsOf,
  requestOf,
  runIn,
  tool,
} from "../../testing/run-fixtures.ts";

const limits = { maxEntries: 4, maxBytes: 1_000 };
const createExecutor = executorsOf([]);

/** The store, and how often the variables of runs were read from it. */
function counting(inner: Store) {
  const read = { times: 0 };
  const store: Store = {
    ...inner,
    readVariables: (query) => {
      read.times += 1;
      return inner.readVariables(query);
    },
  };
  return { store, read };
}

function holding(name: string): VariableSystem {
  const variables = new VariableSystem();
  variables.addVariable(name, "there", "USER_ADD");
  return variables;
}

test("a run has what was kept of it once, in the epoch after, and only with as many changes from outside", async () => {
  await withMemoryStore(async (store) => {
    const kept = new ConversationVariables({ store, createExecutor, limits });
    const has = async (epoch: number, edits: number) =>
      (await kept.forRun({ id: "r", owner, epoch, edits })).names().length > 0;
    const keep = () => kept.cache({ id: "r", epoch: 3, edits: 1 }, holding("a"));
    keep();
    assert.equal(await has(4, 1), true);
    assert.equal(await has(4, 1), false);
    for (const [epoch, edits] of [
      [3, 1],
      [5, 1],
      [4, 0],
      [4, 2],
    ] as const) {
      keep();
      assert.equal(await has(epoch, edits), false);
    }
  });
});

test("runs that continue one have what was kept of it as it was when they were made, each its own", async () => {
  await withMemoryStore(async (store) => {
    const kept = new ConversationVariables({ store, createExecutor, limits });
    const parent = { id: "p", epoch: 3, edits: 1 };
    kept.cache(parent, holding("a"));
    const run = (id: string, origin: typeof parent) =>
      kept.forRun({ id, owner, epoch: 1, edits: 0 }, origin);
    const first = await run("x", parent);
    first.removeVariables(["a"]);
    assert.deepEqual((await run("y", parent)).names(), ["a"]);
    assert.deepEqual((await run("z", { ...parent, edits: 2 })).names(), []);
    assert.deepEqual((await run("z", { ...parent, epoch: 2 })).names(), []);
    kept.evict(["p"]);
    assert.deepEqual((await run("z", parent)).names(), []);
  });
});

test("what is kept is no more than there is room for in bytes", async () => {
  await withMemoryStore(async (store) => {
    const kept = new ConversationVariables({ store, createExecutor, limits });
    for (const id of ["a", "b", "c"]) {
      const variables = new VariableSystem();
      variables.addVariable("v", "x".repeat(400), "USER_ADD");
      kept.cache({ id, epoch: 1, edits: 0 }, variables);
    }
    const there: string[] = [];
    for (const id of ["a", "b", "c"]) {
      const variables = await kept.forRun({ id, owner, epoch: 2, edits: 0 });
      if (variables.names().length > 0) there.push(id);
    }
    assert.deepEqual(there, ["b", "c"]);
  });
});

const add: ScriptedStep = { calls: [{ name: "Add" }] };
const ask: ScriptedStep = { calls: [{ name: "Ask" }] };

for (const [warmBytes, reads] of [
  [defaultServerLimits.warmBytes, 0],
  [0, 3],
] as const) {
  test(`turns and answers at one node read variables ${reads} times with ${warmBytes} bytes for what is kept`, async () => {
    await withMemoryStore(async (inner) => {
      const { store, read } = counting(inner);
      const runs = createRuns({
        store,
        model: new ScriptedModel([add, ask, "one", add, "two"]),
        tools: [
          asking("Ask", () => "yes"),
          tool("Add", (_args, { variables }) => {
            variables.addVariable("a", "made", "LLMAdd");
          }),
        ],
        limits: { ...defaultServerLimits, warmBytes },
      });
      const switches = { groups: {}, tools: {} };
      const conversation = { type: "create-conversation", id: "c", owner, title: "" } as const;
      await store.write([{ ...conversation, metadata: {}, switches }]);
      const first = await begin(runs, requestOf("1", { conversationId: "c" }));
      await runIn(store, first.id, "requires_action");
      const { data } = await store.listApprovals({ owner, runId: first.id });
      await runs.answer(owner, data[0]!.id, { decision: "allow" });
      await runIn(store, first.id, "completed");
      while (runs.isActive(first.id)) await new Promise(setImmediate);
      const now = (await store.getConversation({ owner, id: "c" }))!;
      await runs.editVariables(now, (draft) => {
        draft.addVariable("b", "mine", "USER_ADD");
      });
      const next = requestOf("2", { conversationId: "c", parentId: first.id });
      const second = await begin(runs, next);
      await runIn(store, second.id, "completed");
      assert.equal(read.times, reads);
    });
  });
}
