import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

/** A store that counts the values of variables that are read. */
function counting(inner: Store) {
  const read = { values: 0 };
  const store: Store = {
    ...inner,
    readVariables: async (query) => {
      const found = await inner.readVariables(query);
      read.values += Object.keys(found?.values ?? {}).length;
      return found;
    },
    readValue: (query) => {
      read.values += 1;
      return inner.readValue(query);
    },
  };
  return { store, read };
}

const text = "long text ".repeat(300_000);
const names = ["a", "b", "c"];

const tools = [
  tool("List", (_args, { variables }) => variables.listVariables().map(({ name }) => name)),
  tool("Use", ({ value }) => ({ used: value })),
];
const list: ScriptedStep = { calls: [{ name: "List" }] };
const use: ScriptedStep = { calls: [{ name: "Use", args: { value: "$VAR_REF{{b:5:4}}" } }] };

/** Calls `body` with a conversation whose first run has three values of 3 MB, and no cache. */
async function withConversation(
  script: readonly ScriptedStep[],
  body: (made: ReturnType<typeof counting> & ReturnType<typeof turnsOf>) => Promise<void>,
) {
  await withMemoryStore(async (inner) => {
    const { store, read } = counting(inner);
    await store.write([
      {
        type: "create-conversation",
        id: "c",
        owner,
        title: "",
        metadata: {},
        switches: { groups: {}, tools: {} },
      },
    ]);
    const limits = { ...defaultServerLimits, warmBytes: 0 };
    const turns = turnsOf(
      store,
      createRuns({ store, model: new ScriptedModel([...script]), tools, limits }),
    );
    await turns.runs.editVariables(await turns.head(), (draft) => {
      for (const name of names) draft.addVariable(name, `${name}: ${text}`, "USER_ADD");
    });
    await body({ store, read, ...turns });
  });
}

function turnsOf(store: Store, runs: ReturnType<typeof createRuns>) {
  const head = async () => (await store.getConversation({ owner, id: "c" }))!;
  return {
    runs,
    head,
    turn: async () => {
      const parentId = (await head()).headRunId;
      const { id } = await begin(runs, requestOf("Go.", { conversationId: "c", parentId }));
      await runIn(store, id, "completed");
      const calls = (await store.readCalls({ owner, runId: id })) ?? [];
      return calls.map(({ call }) => call.result?.finalText ?? "").join();
    },
  };
}

// Contract: variables-94
test("continuing a conversation and listing its variables reads no long value", async () => {
  await withConversation(["one", "two", list, "three"], async ({ runs, head, turn, read }) => {
    for (let n = 0; n < 2; n++) await turn();
    assert.match(await turn(), /a.*b.*c|c.*b.*a/s);
    const variables = await runs.variablesOf(await head());
    const listed = variables.listVariables().filter(({ name }) => names.includes(name));
    assert.deepEqual(
      listed.map(({ length, bytes }) => [length, bytes]),
      names.map(() => [text.length + 3, text.length + 3]),
    );
    assert.equal(read.values, 0);
  });
});

test("a reference reads the value that it names, and later uses find it in memory", async () => {
  await withConversation([use, use, "done"], async ({ turn, read }) => {
    assert.match(await turn(), /ng t.*ng t/s);
    assert.equal(read.values, 1);
  });
});

test("an edit of a description keeps the value, and no other value is read", async () => {
  await withConversation([], async ({ runs, head, read }) => {
    const conversation = await head();
    const describe = () =>
      runs.editVariables(
        conversation,
        (draft) => {
          const outcome = draft.updateVariable("a", { desc: "Long", keep: true });
          assert.equal(outcome.status, "set");
        },
        { needs: ["a"] },
      );
    assert.notEqual(await describe(), undefined);
    assert.equal(read.values, 1);
    const variables = await runs.variablesOf(await head());
    const { desc, keep, length } = variables.peekVariable("a") ?? {};
    assert.deepEqual([desc, keep, length], ["Long", true, text.length + 3]);
  });
});
