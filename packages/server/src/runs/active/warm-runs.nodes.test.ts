import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ReviewDecision, type Tool } from "@capstan/core";
import { FakeClock, ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { recordCallOutcome } from "../record-call-outcome.ts";
import type { RunService } from "../run-service.ts";
import { defaultServerLimits } from "../request/run-limits.ts";
import { asking, begin, createRuns, requestOf, runIn } from "../../testing/run-fixtures.ts";

// Two nodes are two services on one store. A run waits at the first node, and the second node
// changes it.

const ask: ScriptedStep = { calls: [{ name: "Ask" }] };

function counted() {
  const ran = { times: 0 };
  const tools = [asking("Ask", () => `yes ${++ran.times}`)];
  return { ran, tools };
}

async function pendingOf(store: Store, runId: string): Promise<string> {
  const { data } = await store.listApprovals({ owner, runId, status: "pending" });
  return data[0]!.id;
}

async function allow(runs: RunService, id: string) {
  return runs.answer(owner, id, { decision: "allow" });
}

const shownTo = (model: ScriptedModel) =>
  model.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === "tool" ? content : []));

// Contract: durability-47
test("a run that waited here, resumed elsewhere and is answered here again continues from its stored state", async () => {
  await withMemoryStore(async (store) => {
    const { ran, tools } = counted();
    const model = new ScriptedModel([ask, "done"]);
    const here = createRuns({ store, tools, model });
    const there = createRuns({ store, tools, model: new ScriptedModel([ask]) });
    const { id } = await begin(here, requestOf("go"));
    await runIn(store, id, "requires_action");
    const first = await pendingOf(store, id);
    await allow(there, first);
    await waitsAgain(store, id, first);
    await allow(here, await pendingOf(store, id));
    await runIn(store, id, "completed");
    assert.equal(ran.times, 2);
    assert.deepEqual(shownTo(model), ["yes 1", "yes 2"]);
  });
});

// Contract: durability-47
test("a conversation that is deleted elsewhere while its run waits here does not continue", async () => {
  await withMemoryStore(async (store) => {
    const { ran, tools } = counted();
    const here = createRuns({ store, tools, model: new ScriptedModel([ask]) });
    const there = createRuns({ store, tools, model: new ScriptedModel([]) });
    const switches = { groups: {}, tools: {} };
    const id = "conv";
    await store.write([
      { type: "create-conversation", id, owner, title: "", metadata: {}, switches },
    ]);
    const run = await begin(here, requestOf("go", { conversationId: id }));
    await runIn(store, run.id, "requires_action");
    const question = await pendingOf(store, run.id);
    await there.deleteConversation({ owner, id });
    assert.equal(await allow(here, question), undefined);
    await here.recover([{ id: run.id, owner, status: "requires_action", epoch: run.epoch }]);
    assert.deepEqual([here.load().claimedRuns, ran.times, here.lines], [0, 0, []]);
  });
});

// Contract: durability-47
test("a run that waits here resumes with the expiry of its approval at another node", async () => {
  await withMemoryStore(async (store, clock) => {
    const { ran, tools } = counted();
    const model = new ScriptedModel([ask, "done"]);
    const here = createRuns({ store, tools, model });
    const there = onlyServing(store, tools);
    const { id } = await begin(here, requestOf("go"));
    await runIn(store, id, "requires_action");
    clock.set(Number.MAX_SAFE_INTEGER);
    await there.expireApprovals();
    await here.recover(await here.listUnfinished());
    await runIn(store, id, "completed");
    assert.equal(ran.times, 0);
    assert.match(String(shownTo(model)), /no user answered in time/);
  });
});

for (const [decision, expected] of [
  [{ decision: "withhold", reason: "not for it" }, /not for it/],
  [{ decision: "redact", words: ["tulip"] }, /the password is \[redacted\]/],
] as const satisfies readonly (readonly [ReviewDecision, RegExp])[]) {
  test(`a review at another node that chooses to ${decision.decision} while its run waits here gets that decision`, async () => {
    await withMemoryStore(async (store) => {
      const secret = defineTool({
        name: "Secret",
        description: "",
        permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
        execute: () => "the password is tulip",
      });
      const model = new ScriptedModel([{ calls: [{ name: "Secret" }] }, "done"]);
      const here = createRuns({ store, tools: [secret], model });
      const { id } = await begin(here, requestOf("go"));
      await runIn(store, id, "requires_action");
      await onlyServing(store, [secret]).answer(owner, await pendingOf(store, id), decision);
      await here.recover(await here.listUnfinished());
      await runIn(store, id, "completed");
      const shown = String(shownTo(model));
      assert.match(shown, expected);
      assert.doesNotMatch(shown, /tulip/);
    });
  });
}

// Contract: durability-47
test("when a run that waits here resumes, it reads a call outcome that a user reported at another node", async () => {
  await withMemoryStore(async (store) => {
    const began = Promise.withResolvers<void>();
    const pay = (answer: () => unknown) =>
      defineTool({
        name: "Pay",
        description: "",
        permission: { executionPolicy: "auto" },
        execute: () => {
          began.resolve();
          return answer();
        },
      });
    const { tools } = counted();
    const dead = createRuns({
      store,
      clock: new FakeClock(),
      tools: [pay(() => Promise.withResolvers<never>().promise)],
      model: new ScriptedModel([{ calls: [{ name: "Pay", id: "pay" }] }]),
    });
    const run = await begin(dead, requestOf("go"));
    await began.promise;
    const model = new ScriptedModel([ask, "done"]);
    const here = createRuns({ store, tools: [pay(() => "paid"), ...tools], model });
    await here.recover(await here.listUnfinished());
    await runIn(store, run.id, "requires_action");
    const found = { answer: "happened", by: "local", at: 1, note: "Receipt 5." } as const;
    assert.equal((await recordCallOutcome(store, run, "pay", found)).status, "answered");
    await allow(here, await pendingOf(store, run.id));
    await runIn(store, run.id, "completed");
    assert.match(String(shownTo(model)), /Receipt 5\./);
  });
});

/**
 * Creates a node that executes no runs. A run that is answered there is queued for another node.
 */
function onlyServing(store: Store, tools: readonly Tool[]): RunService {
  const limits = { ...defaultServerLimits, runsAtOnce: 0 };
  return createRuns({ store, tools, limits, model: new ScriptedModel([]) });
}

/** Resolves when an approval other than this one is pending. */
async function waitsAgain(store: Store, id: string, question: string): Promise<void> {
  for (;;) {
    await runIn(store, id, "requires_action");
    const { data } = await store.listApprovals({ owner, runId: id, status: "pending" });
    if (data.length > 0 && data[0]!.id !== question) return;
    await new Promise(setImmediate);
  }
}
