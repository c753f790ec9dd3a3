import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

/**
 * Returns a clock and limits for a service whose chains have a time limit, and a function that
 * waits until the n-th chain has ended. It detects the end by the timer that a chain then cancels.
 */
function watchChainEnds() {
  const runMs = 86_400_000;
  const ends: PromiseWithResolvers<void>[] = [];
  const clock: Clock = {
    ...systemClock,
    after: (ms, callback) => {
      if (ms < runMs / 2) return systemClock.after(ms, callback);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.resolve;
    },
  };
  const ended = async (n: number): Promise<void> => {
    assert.ok(ends[n] !== undefined, `chain ${n} has not started`);
    await ends[n].promise;
  };
  return { clock, limits: { ...defaultServerLimits, runMs }, ended };
}

// Contract: durability-39
test("a fenced chain that hangs does not block its run, and changes nothing when it ends", async () => {
  await withMemoryStore(async (given) => {
    let looks = 0;
    const store = {
      ...given,
      everyQueued: (query: { readonly each: number }) => {
        assert.ok((looks += 1) < 10, "the registry searches for it repeatedly");
        return given.everyQueued(query);
      },
    };
    const linger = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    const executions = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let executed = 0;
    const lingering = tool("Linger", async () => {
      executed += 1;
      executions[executed - 1]?.resolve();
      if (executed === 1) await linger.promise;
    });
    const held = () => answer.promise;
    const model = new ScriptedModel([{ calls: [{ name: "Linger" }] }, held, held]);
    const { clock, ended, ...chains } = watchChainEnds();
    const limits = { ...chains.limits, runsAtOnce: 2 };
    const runs = createRuns({ store, model, tools: [lingering], limits, clock });
    const { id } = await begin(runs, requestOf("go"));
    await executions[0].promise;
    // Another node declared this one dead, and had no free slot for its run.
    await store.write([{ type: "set-status", runId: id, status: "queued", epoch: 1 }]);
    await runs.dispatcher.fill();
    await executions[1].promise;
    assert.deepEqual(runs.lines, []);
    const next = await begin(runs, requestOf("and you"));
    linger.resolve();
    await ended(0);
    assert.ok(runs.isActive(id));
    assert.ok(!runs.dispatcher.hasFreeSlot, "both runs have their slots");
    answer.resolve("done");
    assert.equal((await runIn(store, id, "completed")).epoch, 3);
    await runIn(store, next.id, "completed");
    await Promise.all([ended(1), ended(2)]);
    assert.equal(runs.load().claimedRuns, 0);
    assert.equal(executed, 2);
    assert.deepEqual(runs.lines, []);
    assert.equal((await store.getRun({ owner, id }))?.status, "completed");
  });
});

// Contract: durability-39
test("a fenced chain changes nothing when it ends after its run resumed here in a later epoch", async () => {
  await withMemoryStore(async (store) => {
    const linger = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<string>();
    const ask = asking("Ask", () => "yes");
    const executing = Promise.withResolvers<void>();
    const lingering = tool("Linger", () => {
      executing.resolve();
      return linger.promise;
    });
    const script = [{ calls: [{ name: "Linger" }] }, () => answer.promise];
    const { ended, ...chains } = watchChainEnds();
    const here = createRuns({
      store,
      model: new ScriptedModel(script),
      tools: [ask, lingering],
      ...chains,
    });
    const { id } = await begin(here, requestOf("go"));
    await executing.promise;
    // Another server takes the run over, and its chain requests an approval there.
    const quick = tool("Linger", () => "at once");
    const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }]);
    const there = createRuns({ store, model, tools: [ask, quick] });
    await there.recover([{ id, owner, status: "in_progress", epoch: 1 }]);
    await runIn(store, id, "requires_action");
    const { data } = await store.listApprovals({ owner, runId: id });
    await here.answer(owner, data[0]!.id, { decision: "allow" });
    assert.ok(here.isActive(id));
    linger.resolve();
    await ended(0);
    assert.ok(here.isActive(id));
    answer.resolve("done");
    await runIn(store, id, "completed");
    await ended(1);
    assert.equal(here.load().claimedRuns, 0);
  });
});
