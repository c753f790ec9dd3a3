import assert from "node:assert/strict";
import { test } from "node:test";
import type { VariableSystem } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import type { ConversationRecord, Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

const switches = { groups: {}, tools: {} };
const note = (draft: VariableSystem) =>
  void draft.updateVariable("note", { type: "USER_ADD", value: "mine" });

async function createConversation(store: Store): Promise<void> {
  await store.write([
    { type: "create-conversation", id: "conv", owner, title: "", metadata: {}, switches },
  ]);
}

async function conversationIn(store: Store): Promise<ConversationRecord> {
  return (await store.getConversation({ owner, id: "conv" }))!;
}

/** Reads the variable with a new server, so that no cache is involved. */
async function noteIn(store: Store): Promise<string | undefined> {
  const runs = createRuns({ store, model: new ScriptedModel([]) });
  return (await runs.variablesOf(await conversationIn(store))).getVariable("note")?.value.text;
}

// Contract: variables-64
test("stores an edit in the run that has just become the conversation's newest", async () => {
  await withMemoryStore(async (store) => {
    await createConversation(store);
    const hold = Promise.withResolvers<string>();
    const runs = createRuns({ store, model: new ScriptedModel(["one", () => hold.promise]) });
    const first = await begin(runs, requestOf("1", { conversationId: "conv" }));
    await runIn(store, first.id, "completed");
    const seen = await conversationIn(store);
    const next = { conversationId: "conv", parentId: first.id };
    const second = await begin(runs, requestOf("2", next));
    await runs.editVariables(seen, note);
    assert.equal(await noteIn(store), "mine");
    hold.resolve("two");
    await runIn(store, second.id, "completed");
    assert.equal(await noteIn(store), "mine");
  });
});

for (const order of ["before", "after"] as const) {
  test(`an edit that starts directly ${order} a new turn is not lost`, async () => {
    await withMemoryStore(async (store) => {
      await createConversation(store);
      const runs = createRuns({ store, model: new ScriptedModel(["one", "two"]) });
      const first = await begin(runs, requestOf("1", { conversationId: "conv" }));
      await runIn(store, first.id, "completed");
      const seen = await conversationIn(store);
      const edit = () => runs.editVariables(seen, note);
      const turn = () =>
        begin(runs, requestOf("2", { conversationId: "conv", parentId: first.id }));
      const both = order === "before" ? [edit(), turn()] : [turn(), edit()];
      const [a, b] = await Promise.all(both);
      const second = [a, b].find((one) => one !== undefined && "parentId" in one);
      await runIn(store, (second as { id: string }).id, "completed");
      assert.equal(await noteIn(store), "mine");
    });
  });
}

test("rejects an edit of an unknown conversation", async () => {
  await withMemoryStore(async (store) => {
    await createConversation(store);
    const runs = createRuns({ store, model: new ScriptedModel(["one"]) });
    const first = await begin(runs, requestOf("1", { conversationId: "conv" }));
    await runIn(store, first.id, "completed");
    const seen = await conversationIn(store);
    await runs.deleteConversation(seen);
    assert.equal(await runs.editVariables(seen, note), undefined);
  });
});

test("rejects an edit of a conversation that was deleted before its first run", async () => {
  await withMemoryStore(async (store) => {
    await createConversation(store);
    const runs = createRuns({ store, model: new ScriptedModel([]) });
    const seen = await conversationIn(store);
    await runs.deleteConversation(seen);
    assert.equal(await runs.editVariables(seen, note), undefined);
  });
});
