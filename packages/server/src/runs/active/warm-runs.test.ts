import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type ChainState, VariableSystem } from "@capstan/core";
import { FakeClock, ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { type ClaimedRun, openMemoryStore, type RunRecord, type Store } from "@capstan/store";
import { callRecord, owner, withMemoryStore } from "@capstan/store/testing";
import { readChainState } from "./chain-state.ts";
import { WarmRuns } from "./warm-runs.ts";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const state: ChainState = {
  round: 1,
  messages: [{ role: "user", content: "Go." }],
  calls: [callRecord("c1", { status: "waiting" })],
  usage: { inputTokens: 1, outputTokens: 1 },
  startTime: 5,
  elapsed: 7,
};

const room = { maxEntries: 2, maxBytes: 100_000 };

/** Creates a run in the state in which its chain started. */
function begun(id: string, epoch: number, more: Partial<RunRecord> = {}): RunRecord {
  const of = { owner, sessionId: id, conversationId: null, parentId: null, kind: "turn" } as const;
  const said = { model: "m", stored: true, title: null, request: {}, input: [], result: null };
  const times = { isInputCut: false, createdAt: 1, updatedAt: 1, endedAt: null };
  const now = { status: "in_progress", epoch, edits: 0, lastSeq: 0 } as const;
  return { id, ...of, ...said, ...times, ...now, ...more };
}

function claimed(id: string, epoch: number, edits = 0): ClaimedRun {
  return { id, owner, status: "in_progress", epoch, lastSeq: 9, edits };
}

function holding(name: string, text = "there"): VariableSystem {
  const variables = new VariableSystem();
  variables.addVariable(name, text, "USER_ADD");
  return variables;
}

const nothing = new VariableSystem();

// Contract: durability-18
test("a cached run is returned once, to the claim of the version at which it stopped", () => {
  const warm = new WarmRuns(room);
  const set = () => warm.set(begun("r", 3), holding("a"), state);
  set();
  const { chain, variables } = warm.take(claimed("r", 4));
  assert.deepEqual(chain?.state, { ...state, startTime: 1 });
  assert.deepEqual(variables?.names(), ["a"]);
  assert.deepEqual(warm.take(claimed("r", 4)), {});
  for (const epoch of [3, 5]) {
    set();
    assert.deepEqual(warm.take(claimed("r", epoch)), {});
    assert.deepEqual(warm.take(claimed("r", 4)), {});
  }
});

test("a claimed run is returned from the cache, unless its parent could have been deleted", () => {
  const warm = new WarmRuns(room);
  warm.set(begun("r", 3), nothing, state);
  const { run } = warm.take(claimed("r", 4, 2));
  assert.deepEqual(run, begun("r", 4, { edits: 2, lastSeq: 9 }));
  warm.set(begun("r", 3, { parentId: "p" }), nothing, state);
  assert.equal(warm.take(claimed("r", 4)).run, undefined);
});

test("cached variables are returned only for the number of edits with which they were cached", () => {
  const warm = new WarmRuns(room);
  const had = (edits: number) => {
    const { chain, variables } = warm.take(claimed("r", 4, edits));
    assert.ok(chain !== undefined, "its chain stays");
    return variables?.names();
  };
  const set = () => warm.set(begun("r", 3, { edits: 1 }), holding("a"), state);
  for (const [edits, names] of [
    [0, undefined],
    [1, ["a"]],
    [2, undefined],
  ] as const) {
    set();
    assert.deepEqual(had(edits), names);
  }
  set();
  warm.edit({ id: "r", epoch: 3, edits: 2 }, holding("b"));
  assert.deepEqual(had(2), ["b"]);
});

test("each run that continues a cached run gets its own copy of the cached variables", () => {
  const warm = new WarmRuns(room);
  const parent = { id: "p", epoch: 3, edits: 1 };
  warm.set(begun("p", 3, { edits: 1 }), holding("a"));
  warm.forkVariables(parent)?.removeVariables(["a"]);
  assert.deepEqual(warm.forkVariables(parent)?.names(), ["a"]);
  assert.equal(warm.forkVariables({ ...parent, edits: 2 }), undefined);
  assert.equal(warm.forkVariables({ ...parent, epoch: 2 }), undefined);
  warm.evict(["p"]);
  assert.equal(warm.forkVariables(parent), undefined);
});

test("a run that exceeds the cache's bytes is not cached: a request, texts, variables", () => {
  const long = "x".repeat(room.maxBytes + 1);
  const warm = new WarmRuns(room);
  warm.set(begun("a", 1), holding("kept"));
  warm.set(begun("r", 1, { request: { instructions: long } }), nothing, state);
  const messages = [{ role: "user", content: [{ type: "text", text: long }] }] as const;
  warm.set(begun("r", 1), nothing, { ...state, messages });
  warm.set(begun("r", 1), holding("v", long));
  assert.deepEqual(warm.take(claimed("r", 2)), {});
  assert.deepEqual(warm.forkVariables({ id: "a", epoch: 1, edits: 0 })?.names(), ["kept"]);
});

// Contract: durability-18
test("a chain that users can change while its run waits is not cached", () => {
  const warm = new WarmRuns(room);
  for (const status of ["in_review", "outcome_unknown"] as const) {
    warm.set(begun("r", 1), nothing, { ...state, calls: [callRecord("c1", { status })] });
    assert.deepEqual(Object.keys(warm.take(claimed("r", 2))), ["variables"]);
  }
});

// Contract: durability-18
test("the most recently used runs stay cached, within the limits of number and bytes", () => {
  const kept = (maxEntries: number, maxBytes: number) => {
    const warm = new WarmRuns({ maxEntries, maxBytes });
    for (const id of ["a", "b", "c"]) warm.set(begun(id, 1), holding("v", "x".repeat(400)));
    warm.forkVariables({ id: "b", epoch: 1, edits: 0 });
    warm.set(begun("d", 1), holding("v", "x".repeat(400)));
    return ["a", "b", "c", "d"].filter((id) => warm.take(claimed(id, 2)).variables !== undefined);
  };
  assert.deepEqual(kept(2, 100_000), ["b", "d"]);
  assert.deepEqual(kept(4, 1_000), ["b", "d"]);
  assert.deepEqual(kept(4, 100_000), ["a", "b", "c", "d"]);
});

const ask = { name: "Ask", args: { of: "what" } };
const weather = { name: "Weather", args: {} };
const parameters = { type: "object", properties: {} } as const;
const clientTools = [
  { type: "function", function: { name: "Weather", description: "", parameters } },
] as const;
const work = { name: "Work", args: {} };
const scripts: { readonly [what: string]: readonly ScriptedStep[] } = {
  "one question": [{ calls: [ask] }, "done"],
  "an approval request in the same round as calls that end, after a round and some text": [
    { text: "I look.", calls: [work, { name: "Fail", args: {} }] },
    { calls: [work, ask, work, { name: "None", args: {} }] },
    "done",
  ],
  "two approval requests in sequence": [{ calls: [ask] }, { calls: [ask] }, "done"],
  "a client tool and an approval request in one round": [{ calls: [weather, ask] }, "done"],
};

for (const [what, script] of Object.entries(scripts)) {
  test(`the cached state of a suspended chain equals its journal: ${what}`, async () => {
    const clock = new FakeClock(1_000);
    const store = openMemoryStore({ clock });
    const seen: ChainState[] = [];
    const keep = mock.method(WarmRuns.prototype, "set");
    const tools = [
      asking("Ask", () => "yes"),
      tool("Work", () => ({ long: "x".repeat(3_000) })),
      tool("Fail", () => {
        throw new Error("no luck");
      }),
    ];
    const runs = createRuns({ store, model: new ScriptedModel(script), tools, clock });
    const request = requestOf("Go.", { clientTools, toolOutputs: "inline" });
    try {
      const run = await begin(runs, request);
      for (;;) {
        const now = await stopped(store, run.id);
        if (now.status === "completed") break;
        await new Promise(setImmediate);
        const [of, , kept] = keep.mock.calls.at(-1)?.arguments ?? [];
        assert.equal(of?.id, run.id);
        const read = await readChainState(store, now);
        const { startTime: _, ...rest } = JSON.parse(JSON.stringify(kept)) as ChainState;
        assert.deepEqual(rest, withoutStart(read.state));
        assert.deepEqual(
          [read.unfinishedItems, read.wasWaiting, read.crashes, read.roundsStarted],
          [[], true, 0, read.state.round],
        );
        seen.push(read.state);
        const { data } = await store.listApprovals({ owner, runId: run.id, status: "pending" });
        const waitsForClient = read.state.calls.find(
          ({ status, owner: by }) => by === "client" && status === "waiting",
        );
        if (waitsForClient !== undefined)
          await runs.submitOutputs(owner, run.id, [
            { callId: waitsForClient.callId, output: "rain" },
          ]);
        for (const { id } of data) await runs.answer(owner, id, { decision: "allow" });
      }
      assert.ok(seen.length > 0);
      assert.deepEqual(runs.lines, []);
    } finally {
      keep.mock.restore();
    }
  });
}

/** Counts the reads of a store by method name. */
function readsOf(inner: Store) {
  const reads: string[] = [];
  const store = new Proxy(inner, {
    get: (_, name: keyof Store) => {
      if (/^(get|read|list)/.test(name)) reads.push(name);
      return inner[name];
    },
  });
  return { store, reads };
}

for (const [warmSessions, read] of [
  [1, ["readGrants"]],
  [0, ["getRun", "readChain", "readGrants", "readVariables"]],
] as const) {
  test(`a run that is answered soon is restored from the cache, and an evicted run from the store: ${warmSessions} cached`, async () => {
    await withMemoryStore(async (inner) => {
      const { store, reads } = readsOf(inner);
      const runs = createRuns({
        store,
        model: new ScriptedModel([{ calls: [ask] }, "done"]),
        tools: [asking("Ask", () => "yes")],
        limits: { ...defaultServerLimits, warmSessions },
      });
      const run = await begin(runs, requestOf("Go."));
      await runIn(inner, run.id, "requires_action");
      while (runs.isActive(run.id)) await new Promise(setImmediate);
      const { data } = await inner.listApprovals({ owner, runId: run.id });
      reads.length = 0;
      await runs.answer(owner, data[0]!.id, { decision: "allow" }, run.id);
      await runIn(inner, run.id, "completed");
      assert.deepEqual(reads.toSorted(), read);
    });
  });
}

test("a run whose parent is deleted while it waits keeps its history", async () => {
  await withMemoryStore(async (store) => {
    const model = new ScriptedModel(["first", "second", { calls: [ask] }, "done"]);
    const runs = createRuns({ store, model, tools: [asking("Ask", () => "yes")] });
    const first = await begin(runs, requestOf("1"));
    await runIn(store, first.id, "completed");
    const second = await begin(runs, requestOf("2", { parentId: first.id }));
    const parent = await runIn(store, second.id, "completed");
    const third = await begin(runs, requestOf("3", { parentId: second.id }));
    await runIn(store, third.id, "requires_action");
    await runs.delete(parent);
    const { data } = await store.listApprovals({ owner, runId: third.id });
    await runs.answer(owner, data[0]!.id, { decision: "allow" });
    await runIn(store, third.id, "completed");
    const told = model.requests.at(-1)?.messages.map(({ content }) => content);
    assert.deepEqual(told?.slice(1, 4), ["1", "first", "3"]);
  });
});

test("only a chain whose run is suspended in the store is cached", async () => {
  const keep = mock.method(WarmRuns.prototype, "set");
  const kept = () =>
    keep.mock.calls.flatMap(({ arguments: [{ id }, , chain] }) =>
      chain === undefined ? [] : [id],
    );
  try {
    await withMemoryStore(async (store) => {
      const model = new ScriptedModel([{ calls: [ask] }]);
      const runs = createRuns({ store, model, tools: [asking("Ask", () => "yes")] });
      const run = await begin(runs, requestOf("Go."));
      // Another node claims the run between its approval request and its suspension.
      const leave = store.subscribe(run.id, ({ events }) => {
        if (events.some(({ type }) => type === "approval.requested"))
          void store.write([{ type: "claim-run", runId: run.id }]);
      });
      while (runs.isActive(run.id)) await new Promise(setImmediate);
      leave();
      assert.equal((await runIn(store, run.id, "in_progress")).epoch, 2);
      assert.deepEqual(kept(), []);
    });
    await withMemoryStore(async (store) => {
      const model = new ScriptedModel([{ calls: [weather] }]);
      const runs = createRuns({ store, model });
      // The next request answers it and closes the run.
      const run = await begin(runs, requestOf("Go.", { clientTools }));
      await runIn(store, run.id, "completed");
      while (runs.isActive(run.id)) await new Promise(setImmediate);
      assert.deepEqual(kept(), []);
    });
  } finally {
    keep.mock.restore();
  }
});

test("a run that took a turn over has the same usage from the cache and from the store", async () => {
  const used: unknown[] = [];
  for (const warmSessions of [32, 0]) {
    await withMemoryStore(async (store) => {
      const runs = createRuns({
        store,
        model: new ScriptedModel([{ calls: [weather] }, { calls: [ask] }, "done"]),
        tools: [asking("Ask", () => "yes")],
        limits: { ...defaultServerLimits, warmSessions },
      });
      const parent = await begin(runs, requestOf("Go.", { clientTools }));
      const { result } = await runIn(store, parent.id, "completed");
      const outputs = [{ callId: result?.waiting?.[0]?.callId ?? "", output: "rain" }];
      const next = requestOf("", { parentId: parent.id, clientTools, outputs });
      const { id } = await begin(runs, next);
      await runIn(store, id, "requires_action");
      while (runs.isActive(id)) await new Promise(setImmediate);
      const { data } = await store.listApprovals({ owner, runId: id });
      await runs.answer(owner, data[0]!.id, { decision: "allow" });
      used.push((await runIn(store, id, "completed")).result?.usage);
    });
  }
  assert.deepEqual(used[0], used[1]);
});

/**
 * Calls `happens` between the commit of an answer that claims its run and the return of that
 * commit.
 */
function whenAnswered(inner: Store, happens: () => Promise<unknown>): Store {
  return {
    ...inner,
    write: async (writes) => {
      const outcomes = await inner.write(writes);
      if (writes[0]?.type === "answer-approval") await happens();
      return outcomes;
    },
  };
}

// Contract: durability-48
test("a variable that changes while its run is answered has its new value when the run resumes", async () => {
  await withMemoryStore(async (inner) => {
    const switches = { groups: {}, tools: {} };
    const conversation = { id: "c", owner, title: "", metadata: {}, switches };
    await inner.write([{ type: "create-conversation", ...conversation }]);
    const head = async () => (await inner.getConversation(conversation))!;
    const noteOf = async () => (await runs.variablesOf(await head())).getVariable("note");
    const store = whenAnswered(inner, async () => {
      const noted = await runs.editVariables(await head(), (draft) => {
        draft.addVariable("note", "new", "USER_ADD");
      });
      assert.ok(noted, "the edit was accepted");
    });
    const seen: unknown[] = [];
    const look = asking("Ask", async () => {
      seen.push((await noteOf())?.value.text);
      return "";
    });
    const model = new ScriptedModel([{ calls: [ask] }, "done"]);
    const runs = createRuns({ store, model, tools: [look] });
    const run = await begin(runs, requestOf("Go.", { conversationId: "c" }));
    await runIn(store, run.id, "requires_action");
    while (runs.isActive(run.id)) await new Promise(setImmediate);
    const { data } = await store.listApprovals({ owner, runId: run.id });
    await runs.answer(owner, data[0]!.id, { decision: "allow" });
    await runIn(store, run.id, "completed");
    assert.deepEqual(seen, ["new"]);
  });
});

// Contract: durability-48
test("a run that is cancelled while it is answered does not resume and calls no model", async () => {
  await withMemoryStore(async (inner) => {
    const store = whenAnswered(inner, () => runs.cancel(run));
    const model = new ScriptedModel([{ calls: [ask] }, "done"]);
    const runs = createRuns({ store, model, tools: [asking("Ask", () => "yes")] });
    const run = await begin(runs, requestOf("Go."));
    await runIn(store, run.id, "requires_action");
    while (runs.isActive(run.id)) await new Promise(setImmediate);
    const { data } = await store.listApprovals({ owner, runId: run.id });
    await runs.answer(owner, data[0]!.id, { decision: "refuse" });
    await runIn(store, run.id, "cancelled");
    assert.equal(model.requests.length, 1);
  });
});

async function stopped(store: Store, id: string) {
  return Promise.race([runIn(store, id, "requires_action"), runIn(store, id, "completed")]);
}

function withoutStart({ startTime: _, ...rest }: ChainState): Omit<ChainState, "startTime"> {
  return rest;
}
