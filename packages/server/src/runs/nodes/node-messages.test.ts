import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { findPostgres, owner, withTwoNodes } from "@capstan/store/testing";
import { asking, begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

/** A tool that runs until it is stopped. */
function hanging() {
  const began = Promise.withResolvers<AbortSignal>();
  const hang = tool("Hang", (_args, { signal }) => {
    began.resolve(signal);
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  });
  return { hang, began: began.promise };
}

function server(store: Store, steps: readonly ScriptedStep[], tools: readonly Tool[] = []) {
  return createRuns({ store, model: new ScriptedModel(steps), tools });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

const callsOf = async (store: Store, runId: string) =>
  ((await store.readCalls({ owner, runId })) ?? []).map(({ call }) => call);

async function question(store: Store, runId: string): Promise<string> {
  for (;;) {
    const { data } = await store.listApprovals({ owner, runId });
    if (data[0] !== undefined) return data[0].id;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

// Contract: durability-44
test("an answer at another node reaches the round in progress", options, async () => {
  await withTwoNodes(async (one, other) => {
    const made = Promise.withResolvers<void>();
    const { hang } = hanging();
    const tools = [asking("Ask", () => made.resolve()), hang];
    const calls = [{ name: "Ask" }, { name: "Hang" }];
    const holder = server(one, [{ calls }], tools);
    const { id } = await begin(holder, requestOf("go"));
    const elsewhere = server(other, []);
    await elsewhere.answer(owner, await question(other, id), { decision: "allow" });
    await made.promise;
    await holder.cancel({ owner, id });
  });
});

// Contract: durability-49
test(
  "if another node cancels a run, its owner stops the calls and confirms it",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const { hang, began } = hanging();
      const holder = server(one, [{ calls: [{ name: "Hang" }] }], [hang]);
      const { id } = await begin(holder, requestOf("go"));
      const signal = await began;
      await server(other, []).cancel({ owner, id });
      assert.ok(signal.aborted);
      const run = await other.getRun({ owner, id });
      assert.deepEqual([run?.status, run?.epoch], ["cancelled", 1]);
      const [call] = await callsOf(other, id);
      assert.equal(call?.status, "cancelled");
    });
  },
);

// Contract: durability-49
test(
  "if the node that owns a run does not react, the run is taken from it and ended",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      const { hang, began } = hanging();
      const deaf: Store = { ...one, nodes: { ...one.nodes!, subscribe: () => {} } };
      const holder = server(deaf, [{ calls: [{ name: "Hang" }] }], [hang]);
      const { id } = await begin(holder, requestOf("go"));
      await began;
      await server(other, []).cancel({ owner, id });
      const run = await other.getRun({ owner, id });
      assert.deepEqual([run?.status, run?.epoch], ["cancelled", 2]);
      await holder.close(0);
    });
  },
);

// Contract: durability-49
test("a call that another node cancels is stopped, and its turn continues", options, async () => {
  await withTwoNodes(async (one, other) => {
    const { hang, began } = hanging();
    const holder = server(one, [{ calls: [{ name: "Hang" }] }, "done"], [hang]);
    const { id } = await begin(holder, requestOf("go"));
    await began;
    const elsewhere = server(other, []);
    const run = (await other.getRun({ owner, id }))!;
    const [call] = await callsOf(other, id);
    assert.equal(await elsewhere.cancelCall(run, "no_such_call"), false);
    assert.equal(await elsewhere.cancelCall(run, call!.callId), true);
    await runIn(one, id, "completed");
    assert.equal((await callsOf(other, id))[0]?.status, "cancelled");
  });
});

// Contract: durability-52
test("a node that lost a run stops the run's calls", options, async () => {
  await withTwoNodes(async (one, other) => {
    const { hang, began } = hanging();
    const holder = server(one, [{ calls: [{ name: "Hang" }] }], [hang]);
    const { id } = await begin(holder, requestOf("go"));
    const signal = await began;
    await other.write([{ type: "claim-run", runId: id, epoch: 1 }]);
    await aborted(signal);
    assert.equal((await other.getRun({ owner, id }))?.status, "in_progress");
  });
});
