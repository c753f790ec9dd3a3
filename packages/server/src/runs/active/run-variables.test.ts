import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

/** A store that counts the reads of runs' variables. */
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

const add: ScriptedStep = { calls: [{ name: "Add" }] };
const ask: ScriptedStep = { calls: [{ name: "Ask" }] };

for (const [warmBytes, reads] of [
  [defaultServerLimits.warmBytes, 0],
  [0, 3],
] as const) {
  test(`turns and answers at one node read variables ${reads} times with ${warmBytes} bytes of cache`, async () => {
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
