import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, VariableSystem } from "@capstan/core";
import { newId } from "@capstan/core/host";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { findPostgres, owner, withMemoryStore, withTwoNodes } from "@capstan/store/testing";
import type { Store } from "@capstan/store";
import type { RunService } from "../run-service.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const postgres = findPostgres();
const pairs = {
  "one store": {
    skip: false,
    withPair: (use: (one: Store, other: Store) => Promise<void>) =>
      withMemoryStore((store) => use(store, store)),
  },
  PostgreSQL: {
    skip: postgres.status === "missing" && postgres.reason,
    withPair: withTwoNodes,
  },
} as const;

/** A test with two nodes, each with its own run service. */
function twoNodes(name: string, body: (one: Store, other: Store) => Promise<void>): void {
  for (const [kind, { skip, withPair }] of Object.entries(pairs))
    test(`${name} (${kind})`, { skip }, () => withPair(body));
}

const call = (name: string, args: object = {}): ScriptedStep => ({ calls: [{ name, args }] });
const write = (name: string, value: string) => (draft: VariableSystem) =>
  void draft.updateVariable(name, { type: "USER_ADD", value });
const remove = (name: string) => (draft: VariableSystem) => void draft.removeVariables([name]);

/** One node. `seen` has the values that each call of `Show` read; `Add` creates one variable. */
function nodeOn(
  store: Store,
  script: readonly ScriptedStep[],
  model: Model = new ScriptedModel(script),
) {
  const seen: (readonly string[])[] = [];
  const tools = [
    asking("Ask", () => "yes"),
    tool("Add", ({ name }, { variables }) => {
      variables.addVariable(String(name), "made", "LLMAdd");
      return "added";
    }),
    tool("Show", (_args, { variables }) => {
      seen.push(notesIn(variables));
      return "shown";
    }),
  ];
  return { store, seen, runs: createRuns({ store, model, tools }) };
}
type Node = Pick<ReturnType<typeof nodeOn>, "store" | "runs">;

/** Returns the variables that users and tools wrote, without the results of calls. */
function notesIn(variables: Pick<VariableSystem, "listVariables" | "getVariable">) {
  return variables
    .listVariables()
    .filter(({ type }) => type === "USER_ADD" || type === "LLMAdd")
    .map(({ name }) => `${name}: ${variables.getVariable(name)?.value.text}`)
    .toSorted();
}

async function createConversation(store: Store): Promise<string> {
  const id = newId("conv_");
  const switches = { groups: {}, tools: {} };
  await store.write([
    { type: "create-conversation", id, owner, title: "", metadata: {}, switches },
  ]);
  return id;
}

const headOf = async (store: Store, id: string) => (await store.getConversation({ owner, id }))!;

async function beginTurn({ store, runs }: Node, conversationId: string): Promise<string> {
  const { headRunId: parentId } = await headOf(store, conversationId);
  return (await begin(runs, requestOf("Go.", { conversationId, parentId }))).id;
}

async function turn(node: Node, conversationId: string): Promise<void> {
  await runIn(node.store, await beginTurn(node, conversationId), "completed");
}

async function edit(
  { store, runs }: Node,
  conversation: string,
  how: (draft: VariableSystem) => void,
) {
  assert.notEqual(await runs.editVariables(await headOf(store, conversation), how), undefined);
}

async function allow({ store, runs }: { store: Store; runs: RunService }, runId: string) {
  const { data } = await store.listApprovals({ owner, runId, status: "pending" });
  await runs.answer(owner, data[0]!.id, { decision: "allow" });
}

// Contract: durability-46
twoNodes(
  "a change of variables at another node between two turns is visible in the next turn",
  async (one, other) => {
    const here = nodeOn(one, [call("Add", { name: "a" }), "one", call("Show"), "two"]);
    const there = nodeOn(other, []);
    const conversation = await createConversation(one);
    await turn(here, conversation);
    await edit(there, conversation, remove("a"));
    await edit(there, conversation, write("b", "theirs"));
    await turn(here, conversation);
    assert.deepEqual(here.seen, [["b: theirs"]]);
  },
);

twoNodes("a reader at this node finds changes of another node", async (one, other) => {
  const here = nodeOn(one, [call("Add", { name: "a" }), "one"]);
  const there = nodeOn(other, []);
  const conversation = await createConversation(one);
  await turn(here, conversation);
  await edit(there, conversation, write("a", "theirs"));
  const variables = await here.runs.variablesOf(await headOf(one, conversation));
  assert.deepEqual(notesIn(variables), ["a: theirs"]);
});

twoNodes("two nodes that make changes alternately lose none", async (one, other) => {
  const here = nodeOn(one, [call("Add", { name: "a" }), "one", call("Show"), "two"]);
  const there = nodeOn(other, []);
  const conversation = await createConversation(one);
  await turn(here, conversation);
  await edit(here, conversation, write("b", "1"));
  await edit(there, conversation, write("b", "2"));
  await edit(there, conversation, remove("a"));
  await edit(here, conversation, write("c", "3"));
  await turn(here, conversation);
  assert.deepEqual(here.seen, [["b: 2", "c: 3"]]);
});

// Contract: durability-46
twoNodes(
  "a run that waits here sees a change at another node when it resumes",
  async (one, other) => {
    const here = nodeOn(one, [call("Add", { name: "a" }), call("Ask"), call("Show"), "done"]);
    const there = nodeOn(other, []);
    const conversation = await createConversation(one);
    const run = await beginTurn(here, conversation);
    await runIn(one, run, "requires_action");
    await edit(there, conversation, remove("a"));
    await edit(there, conversation, write("b", "theirs"));
    await allow(here, run);
    await runIn(one, run, "completed");
    assert.deepEqual(here.seen, [["b: theirs"]]);
  },
);

// Contract: durability-46
twoNodes(
  "changes of a run that waited here and resumed at another node are visible in the next turn",
  async (one, other) => {
    const here = nodeOn(one, [call("Add", { name: "a" }), call("Ask"), call("Show"), "two"]);
    const there = nodeOn(other, [call("Add", { name: "b" }), "one"]);
    const conversation = await createConversation(one);
    const run = await beginTurn(here, conversation);
    await runIn(one, run, "requires_action");
    await allow(there, run);
    await runIn(one, run, "completed");
    await turn(here, conversation);
    assert.deepEqual(here.seen, [["a: made", "b: made"]]);
  },
);

twoNodes(
  "a change here to a run that executes at another node does not hide that run's own changes",
  async (one, other) => {
    const held = Promise.withResolvers<ScriptedStep>();
    const here = nodeOn(one, [call("Show"), "two"]);
    const there = nodeOn(other, [() => held.promise, "one"]);
    const conversation = await createConversation(one);
    const run = await beginTurn(there, conversation);
    await edit(here, conversation, write("a", "mine"));
    held.resolve(call("Add", { name: "b" }));
    await runIn(one, run, "completed");
    await turn(here, conversation);
    assert.deepEqual(here.seen, [["a: mine", "b: made"]]);
  },
);

// Contract: durability-46
twoNodes(
  "a change at another node to a run that executes here is visible in the next turn",
  async (one, other) => {
    const held = Promise.withResolvers<ScriptedStep>();
    const here = nodeOn(one, [() => held.promise, "one", call("Show"), "two"]);
    const there = nodeOn(other, []);
    const conversation = await createConversation(one);
    const run = await beginTurn(here, conversation);
    await edit(there, conversation, write("a", "theirs"));
    held.resolve(call("Add", { name: "b" }));
    await runIn(one, run, "completed");
    await turn(here, conversation);
    assert.deepEqual(here.seen, [["a: theirs", "b: made"]]);
  },
);

twoNodes(
  "a change at another node while a turn is created is visible in that turn",
  async (one, other) => {
    const there = nodeOn(other, []);
    const conversation = await createConversation(one);
    const changingStore: Store = {
      ...one,
      write: async (writes) => {
        const [first] = writes;
        if (first?.type === "create-run" && first.run.parentId !== undefined)
          await edit(there, conversation, remove("a"));
        return one.write(writes);
      },
    };
    const here = nodeOn(changingStore, [call("Add", { name: "a" }), "one", call("Show"), "two"]);
    await turn(here, conversation);
    await turn(here, conversation);
    assert.deepEqual(here.seen, [[]]);
  },
);

twoNodes("an edit is stored while the conversation's runs start and end", async (one, other) => {
  const here = nodeOn(one, []);
  const there = nodeOn(other, []);
  for (let round = 0; round < 20; round++) {
    const conversation = await createConversation(one);
    const remove = async ({ store, runs }: Node) => {
      const { headRunId } = await headOf(store, conversation);
      const run = headRunId === null ? undefined : await store.getRun({ owner, id: headRunId });
      if (run !== undefined) await runs.delete(run);
    };
    await Promise.all(
      [here, there, here, there].map(async (node, n) => {
        await edit(node, conversation, write(`v${n}`, "1"));
        await remove(node);
      }),
    );
  }
});
