import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

/**
 * A model that answers after `release`, and its inputs in the order in which it received them.
 */
function heldModel() {
  const seen: string[] = [];
  const go = new Map<string, () => void>();
  const model: Model = {
    id: "test/held",
    async *stream(request, signal) {
      const { messages } = request;
      const question = String(messages.findLast(({ role }) => role === "user")?.content);
      seen.push(question);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      go.set(question, resolve);
      signal.addEventListener("abort", () => reject(signal.reason));
      await promise;
      yield* new ScriptedModel(["done"]).stream(request, signal);
    },
  };
  return { model, seen, release: (question: string) => go.get(question)?.() };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

const statusOf = async (store: Store, id: string, of = owner) =>
  (await store.getRun({ owner: of, id }))?.status;

// Contract: durability-19
test("runs above the limit are queued, and a principal with many runs does not delay another", async () => {
  const store = openMemoryStore();
  const { model, seen, release } = heldModel();
  const limits = { ...defaultServerLimits, runsAtOnce: 3, runsOfOne: 2 };
  const runs = createRuns({ store, model, limits });
  const ids: string[] = [];
  for (const text of ["m1", "m2", "m3", "m4"])
    ids.push((await begin(runs, requestOf(text, { principal: "many" }))).id);
  assert.deepEqual(await Promise.all(ids.map((id) => statusOf(store, id, "many"))), [
    "in_progress",
    "in_progress",
    "queued",
    "queued",
  ]);
  const other = await begin(runs, requestOf("o1", { principal: "other" }));
  assert.equal(other.status, "in_progress");
  await begin(runs, requestOf("o2", { principal: "other" }));
  await until(() => seen.length === 3);
  release("m1");
  await until(() => seen.length === 4);
  // Each principal has one slot, so the oldest run is next.
  assert.deepEqual(seen.slice(3), ["m3"]);
  for (const text of ["m2", "m3", "o1"]) release(text);
  await until(() => seen.length === 6);
  assert.deepEqual(seen.slice(4).toSorted(), ["m4", "o2"]);
  for (const text of ["m4", "o2"]) release(text);
  await until(() => runs.load().claimedRuns === 0);
  assert.equal(await statusOf(store, ids[3]!, "many"), "completed");
});

test("a queued run that is cancelled never calls its model", async () => {
  const store = openMemoryStore();
  const { model, seen, release } = heldModel();
  const limits = { ...defaultServerLimits, runsAtOnce: 1 };
  const runs = createRuns({ store, model, limits });
  await begin(runs, requestOf("one"));
  const { id } = await begin(runs, requestOf("two"));
  await runs.cancel({ owner, id });
  assert.equal(await statusOf(store, id), "cancelled");
  release("one");
  await until(() => runs.load().claimedRuns === 0);
  assert.deepEqual(seen, ["one"]);
});

// Contract: durability-19
test("an answered run waits for a slot like any other run", async () => {
  const store = openMemoryStore();
  const hold = Promise.withResolvers<string>();
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, () => hold.promise, "done"]);
  const limits = { ...defaultServerLimits, runsAtOnce: 1 };
  const runs = createRuns({ store, model, limits, tools: [asking("Ask", () => "made")] });
  const asked = await begin(runs, requestOf("one"));
  await runIn(store, asked.id, "requires_action");
  const busy = await begin(runs, requestOf("two"));
  const { data } = await store.listApprovals({ owner, runId: asked.id });
  await runs.answer(owner, data[0]!.id, { decision: "allow" });
  assert.equal(await statusOf(store, asked.id), "queued");
  hold.resolve("said");
  await runIn(store, busy.id, "completed");
  await runIn(store, asked.id, "completed");
});

// Contract: durability-19
test("runs that a stopped server left get slots one after the other", async () => {
  const store = openMemoryStore();
  const never = Promise.withResolvers<never>().promise;
  const first = createRuns({ store, model: new ScriptedModel([() => never, () => never]) });
  const ids = [
    (await begin(first, requestOf("one"))).id,
    (await begin(first, requestOf("two"))).id,
  ];
  const limits = { ...defaultServerLimits, runsAtOnce: 1 };
  const next = createRuns({ store, model: new ScriptedModel(["done", "done"]), limits });
  await next.recover(await next.listUnfinished());
  for (const id of ids) await runIn(store, id, "completed");
});
