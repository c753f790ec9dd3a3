import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const soon = async () => {
  for (let n = 0; n < 50; n += 1) await new Promise(setImmediate);
};

test("a fenced chain that does not end keeps its run from nothing, and takes nothing from it as it ends", async () => {
  await withMemoryStore(async (given) => {
    let looks = 0;
    const store = {
      ...given,
      everyQueued: (query: { readonly each: number }) => {
        assert.ok((looks += 1) < 10, "it is looked for again and again");
        return given.everyQueued(query);
      },
    };
    const linger = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    let executed = 0;
    const lingering = tool("Linger", async () => {
      if ((executed += 1) === 1) await linger.promise;
    });
    const held = () => answer.promise;
    const model = new ScriptedModel([{ calls: [{ name: "Linger" }] }, held, held]);
    const limits = { ...defaultServerLimits, runsAtOnce: 2 };
    const runs = createRuns({ store, model, tools: [lingering], limits });
    const { id } = await begin(runs, requestOf("go"));
    await soon();
    assert.equal(executed, 1);
    // Another took this node for dead, and had no place for its run.
    await store.write([{ type: "set-status", runId: id, status: "queued", epoch: 1 }]);
    await runs.dispatcher.fill();
    await soon();
    assert.deepEqual(runs.lines, []);
    assert.equal(executed, 2, "it went on");
    const next = await begin(runs, requestOf("and you"));
    linger.resolve();
    await soon();
    assert.ok(runs.isActive(id));
    assert.ok(!runs.dispatcher.hasFreeSlot, "both have their places");
    answer.resolve("done");
    assert.equal((await runIn(store, id, "completed")).epoch, 3);
    await runIn(store, next.id, "completed");
    await soon();
    assert.equal(runs.load().activeRuns, 0);
    assert.deepEqual(runs.lines, []);
    assert.equal((await store.getRun({ owner, id }))?.status, "completed");
  });
});

test("one that ends after its run was answered here, in a later epoch, takes nothing from it either", async () => {
  await withMemoryStore(async (store) => {
    const linger = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    const ask = asking("Ask", () => "yes");
    const lingering = tool("Linger", () => linger.promise);
    const script = [{ calls: [{ name: "Linger" }] }, () => answer.promise];
    const here = createRuns({ store, model: new ScriptedModel(script), tools: [ask, lingering] });
    const { id } = await begin(here, requestOf("go"));
    await soon();
    // Another server took it over, where it came to ask.
    const quick = tool("Linger", () => "at once");
    const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }]);
    const there = createRuns({ store, model, tools: [ask, quick] });
    await there.recover([{ id, owner, status: "in_progress", epoch: 1 }]);
    await runIn(store, id, "requires_action");
    const { data } = await store.listApprovals({ owner, runId: id });
    await here.answer(owner, data[0]!.id, { decision: "allow" });
    assert.ok(here.isActive(id));
    linger.resolve();
    await soon();
    assert.ok(here.isActive(id));
    answer.resolve("done");
    await runIn(store, id, "completed");
    await soon();
    assert.equal(here.load().activeRuns, 0);
  });
});
