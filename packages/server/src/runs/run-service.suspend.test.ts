import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../testing/run-fixtures.ts";

const allow = { decision: "allow" } as const;

/** A store that counts its listeners. */
function counted(): { readonly store: Store; readonly listeners: () => number } {
  const inner = openMemoryStore();
  let listeners = 0;
  const store: Store = {
    ...inner,
    subscribe: (runId, listener) => {
      listeners++;
      const leave = inner.subscribe(runId, listener);
      return () => {
        listeners--;
        leave();
      };
    },
  };
  return { store, listeners: () => listeners };
}

/** A server whose model calls `Ask` first, and then answers with the given texts. */
function asks(...then: readonly ScriptedStep[]) {
  let made = 0;
  const clock = new FakeClock(Date.now());
  const { store, listeners } = counted();
  const tools = [asking("Ask", () => ++made)];
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, ...then]);
  const runs = createRuns({ store, model, tools, clock });
  const questionOf = async (runId: string) =>
    (await store.listApprovals({ owner, runId })).data[0]!.id;
  return { clock, store, runs, listeners, questionOf, made: () => made };
}

// Contract: durability-18
test("waiting runs have no chain, no timer and no listener, however many there are", async () => {
  const { clock, store, runs, listeners } = asks(
    ...Array.from({ length: 49 }, () => ({ calls: [{ name: "Ask" }] })),
  );
  for (let n = 0; n < 50; n++) {
    const run = await begin(runs, requestOf("go"));
    await runIn(store, run.id, "requires_action");
  }
  const { data } = await store.searchRuns({ owner, statuses: ["requires_action"], limit: 100 });
  assert.equal(data.length, 50);
  // The chain of the last run is dropped after its end is stored.
  for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
  assert.deepEqual(runs.load(), { claimedRuns: 0, pendingRuns: 0 });
  assert.deepEqual([clock.pending, listeners()], [0, 0]);
});

test("a run that is answered before it suspends continues after the rest of its round has ended", async () => {
  const hold = Promise.withResolvers<string>();
  const store = openMemoryStore();
  let made = 0;
  const tools = [asking("Ask", () => ++made), tool("Slow", () => hold.promise)];
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }, { name: "Slow" }] }, "done"]);
  const runs = createRuns({ store, model, tools });
  const run = await begin(runs, requestOf("go"));
  let open = await store.listApprovals({ owner, runId: run.id });
  while (open.data.length === 0) {
    await new Promise(setImmediate);
    open = await store.listApprovals({ owner, runId: run.id });
  }
  await runs.answer(owner, open.data[0]!.id, allow);
  assert.equal((await store.getRun({ owner, id: run.id }))?.status, "in_progress");
  hold.resolve("slow");
  const { epoch } = await runIn(store, run.id, "completed");
  assert.deepEqual([made, epoch], [1, 1]);
});

// Contract: durability-17
test("a run that is answered while it suspends continues", async () => {
  // Answers at each commit after the approval request, because the relevant commit is not known.
  for (let after = 0; after < 6; after++) {
    const { store, runs, made } = asks("done");
    let commits = 0;
    let answered: Promise<unknown> | undefined;
    const run = await begin(runs, requestOf("go"));
    const leave = store.subscribe(run.id, () => {
      answered ??= store.listApprovals({ owner, runId: run.id }).then(async ({ data }) => {
        if (data[0] === undefined || commits++ < after) answered = undefined;
        else await runs.answer(owner, data[0].id, allow);
      });
    });
    await Promise.race([
      runIn(store, run.id, "completed"),
      runIn(store, run.id, "requires_action"),
    ]);
    if (answered === undefined) {
      const { data } = await store.listApprovals({ owner, runId: run.id });
      await runs.answer(owner, data[0]!.id, allow);
    }
    await runIn(store, run.id, "completed");
    leave();
    assert.equal(made(), 1);
  }
});

// Contract: durability-17
test("of two concurrent answers the first counts, and the call is made once", async () => {
  const { store, runs, questionOf, made } = asks("done");
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const id = await questionOf(run.id);
  const answers = await Promise.all([
    runs.answer(owner, id, allow),
    runs.answer(owner, id, { decision: "refuse" }),
    runs.answer(owner, id, allow),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer?.status),
    ["allowed", "allowed", "allowed"],
  );
  await runIn(store, run.id, "completed");
  assert.equal(made(), 1);
});

// Contract: durability-17
test("concurrent answers at two servers cause one call", async () => {
  const { store, runs, questionOf, made } = asks();
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const id = await questionOf(run.id);
  let twice = 0;
  const others = ["left", "right"].map((said) =>
    createRuns({ store, tools: [asking("Ask", () => ++twice)], model: new ScriptedModel([said]) }),
  );
  await Promise.all(others.map((server) => server.answer(owner, id, allow)));
  const { epoch } = await runIn(store, run.id, "completed");
  assert.deepEqual([made(), twice, epoch], [0, 1, 2]);
});

// Contract: durability-15
test("a run that is answered at another server during its round resumes when it suspends", async () => {
  const hold = Promise.withResolvers<string>();
  const store = openMemoryStore();
  let made = 0;
  const tools = [asking("Ask", () => ++made), tool("Slow", () => hold.promise)];
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }, { name: "Slow" }] }, "done"]);
  const holder = createRuns({ store, model, tools });
  const run = await begin(holder, requestOf("go"));
  let open = await store.listApprovals({ owner, runId: run.id });
  while (open.data.length === 0) {
    await new Promise(setImmediate);
    open = await store.listApprovals({ owner, runId: run.id });
  }
  const other = createRuns({ store, model: new ScriptedModel([]), tools: [] });
  assert.equal((await other.answer(owner, open.data[0]!.id, allow))?.status, "allowed");
  hold.resolve("slow");
  await runIn(store, run.id, "completed");
  assert.equal(made, 1);
});

// Contract: durability-44
test("an output that another server receives during the round counts when the run suspends", async () => {
  const hold = Promise.withResolvers<string>();
  const store = openMemoryStore();
  const tools = [tool("Slow", () => hold.promise)];
  const weather = { type: "function", function: { name: "Weather" } } as const;
  const calls = [{ name: "Weather" }, { name: "Slow" }];
  const holder = createRuns({ store, tools, model: new ScriptedModel([{ calls }, "done"]) });
  const more = { clientTools: [weather], toolOutputs: "inline" } as const;
  const run = await begin(holder, requestOf("go", more));
  const clientCall = async () => {
    const known = (await store.readCalls({ owner, runId: run.id })) ?? [];
    return known.find(({ call }) => call.owner === "client" && call.status === "waiting")?.call;
  };
  while ((await clientCall()) === undefined) await new Promise(setImmediate);
  const callId = (await clientCall())!.callId;
  const other = createRuns({ store, model: new ScriptedModel([]) });
  await other.submitOutputs(owner, run.id, [{ callId, output: "rain" }]);
  hold.resolve("slow");
  await runIn(store, run.id, "completed");
});
