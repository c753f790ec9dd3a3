import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { ChainState } from "@capstan/core";
import { FakeClock, ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { type ClaimedRun, openMemoryStore, type RunRecord, type Store } from "@capstan/store";
import { callRecord, owner, withMemoryStore } from "@capstan/store/testing";
import { ActiveRuns } from "./active-runs.ts";
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

/** A run as it was when its chain began. */
function begun(id: string, epoch: number, more: Partial<RunRecord> = {}): RunRecord {
  const of = { owner, sessionId: id, conversationId: null, parentId: null, kind: "turn" } as const;
  const said = { model: "m", stored: true, title: null, request: {}, input: [], result: null };
  const times = { createdAt: 1, updatedAt: 1, endedAt: null };
  const now = { status: "in_progress", epoch, edits: 0, lastSeq: 0 } as const;
  return { id, ...of, ...said, ...times, ...now, ...more };
}

function claimed(id: string, epoch: number, edits = 0): ClaimedRun {
  return { id, owner, status: "in_progress", epoch, lastSeq: 9, edits };
}

test("a chain is had once, by who claimed its run from where it parked", () => {
  const parked = new WarmRuns(room);
  parked.set(begun("r", 3), state);
  const taken = parked.take(claimed("r", 4));
  assert.deepEqual(taken?.chain.state, { ...state, startTime: 1 });
  assert.equal(parked.take(claimed("r", 4)), undefined);
  parked.set(begun("r", 3), state);
  assert.equal(parked.take(claimed("r", 5)), undefined);
  assert.equal(parked.take(claimed("r", 4)), undefined);
});

test("a run is kept as it is claimed, unless what it continues may be gone", () => {
  const parked = new WarmRuns(room);
  parked.set(begun("r", 3), state);
  const { run } = parked.take(claimed("r", 4, 2))!;
  assert.deepEqual(run, begun("r", 4, { edits: 2, lastSeq: 9 }));
  parked.set(begun("r", 3, { parentId: "p" }), state);
  assert.equal(parked.take(claimed("r", 4))!.run, undefined);
});

test("a long request takes room, too", () => {
  const parked = new WarmRuns(room);
  parked.set(begun("r", 3, { request: { instructions: "x".repeat(100_000) } }), state);
  assert.equal(parked.take(claimed("r", 4)), undefined);
});

test("what people may change while a run waits is not kept, nor what is deleted, nor more than there is room for", () => {
  const parked = new WarmRuns(room);
  for (const status of ["in_review", "outcome_unknown"] as const)
    parked.set(begun(status, 1), { ...state, calls: [callRecord("c1", { status })] });
  for (const id of ["a", "b", "c"]) parked.set(begun(id, 1), state);
  parked.evict(["b"]);
  const isKept = (id: string) => parked.take(claimed(id, 2)) !== undefined;
  const kept = ["in_review", "outcome_unknown", "a", "b", "c"].filter(isKept);
  assert.deepEqual(kept, ["c"]);
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
  "a question beside calls that end, after a round and some words": [
    { text: "I look.", calls: [work, { name: "Fail", args: {} }] },
    { calls: [work, ask, work, { name: "None", args: {} }] },
    "done",
  ],
  "two questions, one behind the other": [{ calls: [ask] }, { calls: [ask] }, "done"],
  "a client's tool beside a question": [{ calls: [weather, ask] }, "done"],
};

for (const [what, script] of Object.entries(scripts)) {
  test(`what is kept of a parked chain is what its journal says: ${what}`, async () => {
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
        const [of, kept] = keep.mock.calls.at(-1)?.arguments ?? [];
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

/** What is read of a store, by the names of its methods. */
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
  test(`a run that is answered soon is not read back, and what is let go of is: ${warmSessions} kept`, async () => {
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
      await runs.answer(owner, data[0]!.id, { decision: "allow" });
      await runIn(inner, run.id, "completed");
      assert.deepEqual(reads.toSorted(), read);
    });
  });
}

test("a run whose parent is deleted while it waits knows what came before that", async () => {
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

test("only a chain that the store has as waiting is kept", async () => {
  const keep = mock.method(WarmRuns.prototype, "set");
  const kept = () => keep.mock.calls.map(({ arguments: [{ id }] }) => id);
  try {
    await withMemoryStore(async (store) => {
      const model = new ScriptedModel([{ calls: [ask] }]);
      const runs = createRuns({ store, model, tools: [asking("Ask", () => "yes")] });
      const run = await begin(runs, requestOf("Go."));
      // Another claims it between its question and its waiting.
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
      // What a next request answers closes the run.
      const run = await begin(runs, requestOf("Go.", { clientTools }));
      await runIn(store, run.id, "completed");
      while (runs.isActive(run.id)) await new Promise(setImmediate);
      assert.deepEqual(kept(), []);
    });
  } finally {
    keep.mock.restore();
  }
});

test("what a run that took a turn over has used is the same, whether it is read back or not", async () => {
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

/** What happens as an answer is stored that claims its run, before anybody here knows of it. */
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

test("a variable that is changed as its run is answered is so when that goes on", async () => {
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

test("a run that is stopped as it is answered does not go on, and asks no model", async () => {
  await withMemoryStore(async (inner) => {
    const store = whenAnswered(inner, () => runs.cancel(run));
    const model = new ScriptedModel([{ calls: [ask] }, "done"]);
    const runs = createRuns({ store, model, tools: [asking("Ask", () => "yes")] });
    const run = await begin(runs, requestOf("Go."));
    await runIn(store, run.id, "requires_action");
    while (runs.isActive(run.id)) await new Promise(setImmediate);
    const { data } = await store.listApprovals({ owner, runId: run.id });
    const launched = mock.method(ActiveRuns.prototype, "launch");
    try {
      await runs.answer(owner, data[0]!.id, { decision: "refuse" });
      assert.equal(launched.mock.callCount(), 0);
    } finally {
      launched.mock.restore();
    }
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
