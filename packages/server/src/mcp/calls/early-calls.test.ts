import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { createProgramCalls } from "./program-calls.ts";
import { createProgramConversations } from "./program-conversation.ts";
import { createRuns, runIn } from "../../testing/run-fixtures.ts";

/** The calls of a program to a tool that writes. */
function createCalls(store: Store) {
  const sent: unknown[] = [];
  const send = defineTool({
    name: "Send",
    description: "",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    permission: { executionPolicy: "auto" },
    execute: ({ text }) => void sent.push(text),
  });
  const runs = createRuns({ store, model: new ScriptedModel([]), tools: [send] });
  const conversations = createProgramConversations(runs);
  const parts = { runs, conversations, graceMs: 0, clock: systemClock, log: () => {} };
  const calls = createProgramCalls(parts);
  const start = (text: string) =>
    calls.start({ owner, toolId: "g.Send", args: { text }, readOnly: false });
  return { runs, conversations, start, sent };
}

// Contract: durability-3
test("two nodes that get the same call at the same time run it once", async () => {
  await withMemoryStore(async (store) => {
    const nodes = [createCalls(store), createCalls(store)];
    await nodes[0]?.conversations.open(owner);
    const held = await Promise.all(nodes.map(({ start }) => start("a")));
    const [one, other] = held.map(({ run }) => run.id);
    assert.equal(one, other);
    await runIn(store, one ?? "", "completed");
    assert.deepEqual(
      nodes.flatMap(({ sent }) => sent),
      ["a"],
    );
    assert.deepEqual(
      nodes.flatMap(({ runs }) => runs.lines),
      [],
    );
  });
});

test("a call whose variables change before it is stored runs once, with the changed variables", async () => {
  await withMemoryStore(async (given) => {
    let beforeNext = async (): Promise<unknown> => undefined;
    const store: Store = {
      ...given,
      write: async (writes) => {
        if (writes.some(({ type }) => type === "create-run")) await beforeNext();
        return given.write(writes);
      },
    };
    const { runs, conversations, start, sent } = createCalls(store);
    const other = createCalls(given);
    const conversation = await conversations.open(owner);
    const edit = (node: typeof runs, text: string) =>
      node.editVariables(conversation, (draft) => draft.addVariable("note", text, "USER_ADD"));
    await edit(runs, "old");
    beforeNext = () => {
      beforeNext = async () => undefined;
      return edit(other.runs, "new");
    };
    const { run } = await start("$VAR_REF{{note}}");
    await runIn(given, run.id, "completed");
    assert.deepEqual(sent, ["new"]);
    assert.deepEqual(runs.lines, []);
  });
});
