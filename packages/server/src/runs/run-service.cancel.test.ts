import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Model, Tool } from "@capstan/core";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import type { RunStatus } from "@capstan/contract";
import { openMemoryStore } from "@capstan/store";
import { owner, intact } from "@capstan/store/testing";
import type { RunRequest } from "./request/run-request.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../testing/run-fixtures.ts";

const weather = { type: "function", function: { name: "Weather" } } as const;

/** A server whose clock does not advance: a stop that needs a timeout never happens. */
function stopped(model: Model, tools: readonly Tool[] = []) {
  const clock = new FakeClock();
  const store = openMemoryStore();
  const runs = createRuns({ store, model, tools, clock });
  return {
    store,
    runs,
    cancelled: async (id: string) => {
      const before = await store.getRun({ owner, id });
      await runs.cancel(before!);
      const run = await store.getRun({ owner, id });
      const events = (await store.readEvents({ owner, runId: id })) ?? [];
      assert.equal(run?.status, "cancelled");
      assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
      assert.equal(events.at(-1)?.type, "chain.ended");
      assert.equal(runs.isActive(id), false);
      assert.equal(clock.pending, 0, "no timers are pending");
      const { data } = intact(await store.listApprovals({ owner, runId: id }));
      assert.ok(
        data.every(({ status }) => status !== "pending"),
        "no approval is pending",
      );
      const calls = (await store.readCalls({ owner, runId: id })) ?? [];
      return { events, calls: calls.map(({ call }) => call) };
    },
  };
}

/**
 * A model that sends one word and then hangs. `aborted` resolves when its signal aborts. The model
 * ends then only with `endsOnAbort`.
 */
function silentModel({ endsOnAbort }: { readonly endsOnAbort: boolean }) {
  const began = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const model: Model = {
    id: "test/silent",
    async *stream(_request, signal) {
      yield { type: "text-delta", text: "One " };
      began.resolve();
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => {
        aborted.resolve();
        if (endsOnAbort) reject(signal.reason);
      });
      yield await promise;
    },
  };
  return { model, began: began.promise, aborted: aborted.promise };
}

for (const endsOnAbort of [true, false])
  test(`a cancelled run ends if its model ${endsOnAbort ? "ends" : "hangs"} on abort`, async () => {
    const { model, began, aborted } = silentModel({ endsOnAbort });
    const { runs, cancelled } = stopped(model);
    const run = await begin(runs, requestOf("go"));
    await began;
    await cancelled(run.id);
    await aborted;
  });

for (const endsOnAbort of [true, false])
  test(`a cancelled run ends if its tool ${endsOnAbort ? "ends" : "hangs"} on abort, and its calls report that`, async () => {
    const began = Promise.withResolvers<AbortSignal>();
    const hang = tool("Hang", (_args, { signal }) => {
      began.resolve(signal);
      return new Promise((_, reject) => {
        if (endsOnAbort) signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
    const model = new ScriptedModel([{ calls: [{ name: "Hang" }, { name: "Hang" }] }]);
    const { runs, cancelled } = stopped(model, [hang]);
    const run = await begin(runs, requestOf("go"));
    const signal = await began.promise;
    const { calls } = await cancelled(run.id);
    assert.ok(signal.aborted);
    assert.deepEqual(
      calls.map(({ status, leftBehind }) => [status, leftBehind]),
      calls.map(() => ["cancelled", endsOnAbort ? undefined : true]),
    );
  });

// Contract: durability-20
test("cancelling a run that waits for a user withdraws the approval request, and the call never runs", async () => {
  let made = 0;
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }]);
  const { store, runs, cancelled } = stopped(model, [asking("Ask", () => ++made)]);
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const { calls } = await cancelled(run.id);
  const { data } = intact(await store.listApprovals({ owner, runId: run.id }));
  const late = await runs.answer(owner, data[0]!.id, { decision: "allow" });
  assert.deepEqual([late?.status, calls[0]?.status, made], ["cancelled", "cancelled", 0]);
});

test("cancelling a run that waits for its client closes the call, and a later output is rejected", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Weather" }] }]);
  const { store, runs, cancelled } = stopped(model);
  const request: RunRequest = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  const run = await begin(runs, request);
  await runIn(store, run.id, "requires_action");
  const { calls } = await cancelled(run.id);
  const output = { callId: calls[0]!.callId, output: "rain" };
  assert.equal((await runs.submitOutputs(owner, run.id, [output])).status, "refused");
});

// Contract: durability-32
test("a run can be cancelled after it was handed back, before the next server claims it", async () => {
  const { model, began } = silentModel({ endsOnAbort: true });
  const first = createRuns({ model, store: openMemoryStore() });
  const run = await begin(first, requestOf("go"));
  await began;
  assert.equal(await first.close(0), 1);
  const second = createRuns({ model, store: first.store });
  const left = await second.listUnfinished();
  await second.cancel(left[0]!);
  await second.recover(left);
  const now = await first.store.getRun({ owner, id: run.id });
  assert.equal(now?.status, "cancelled");
});

// Contract: durability-20
test("a run that is cancelled while it starts ends once", async () => {
  const { model } = silentModel({ endsOnAbort: true });
  const { store, runs } = stopped(model);
  const starting = runs.start(requestOf("go"));
  let found: string | undefined;
  while (found === undefined) {
    found = (await store.searchRuns({ owner })).data[0]?.id;
    await endOfTurn();
  }
  const run = await store.getRun({ owner, id: found });
  await runs.cancel(run!);
  await starting;
  const ends = (await store.readEvents({ owner, runId: found })) ?? [];
  assert.equal((await store.getRun({ owner, id: found }))?.status, "cancelled");
  assert.equal(ends.filter(({ type }) => type === "chain.ended").length, 1);
});

const ended: readonly [RunStatus, ScriptedModel][] = [
  ["completed", new ScriptedModel(["done"])],
  ["failed", new ScriptedModel([{ error: new Error("gone") }])],
];
for (const [status, model] of ended)
  test(`cancelling a ${status} run changes nothing and writes nothing`, async () => {
    const { store, runs } = stopped(model);
    const { id } = await begin(runs, requestOf("go"));
    const run = await runIn(store, id, status);
    await runs.cancel(run);
    assert.deepEqual(await store.getRun({ owner, id }), run);
  });

// Contract: durability-20
test("a run that is cancelled twice and answered at the same time ends once", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "done"]);
  const { store, runs } = stopped(model, [asking("Ask", () => "made")]);
  const run = await begin(runs, requestOf("go"));
  const waits = await runIn(store, run.id, "requires_action");
  const { data } = intact(await store.listApprovals({ owner, runId: run.id }));
  await Promise.all([
    runs.cancel(waits),
    runs.answer(owner, data[0]!.id, { decision: "allow" }),
    runs.cancel(waits),
  ]);
  const events = (await store.readEvents({ owner, runId: run.id })) ?? [];
  assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
  assert.equal((await store.getRun({ owner, id: run.id }))?.status, "cancelled");
});
