import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { owner, withMemoryStore } from "@capstan/store/testing";
import {
  asking,
  begin,
  createRuns,
  executorsOf,
  requestOf,
  runIn,
} from "../testing/run-fixtures.ts";
import type { Store } from "@capstan/store";

const allow = { decision: "allow" } as const;

/** A tool that needs approval, a run that waits for the answer, and the approval's id. */
async function parked(store: Store) {
  let made = 0;
  const tools = [asking("Ask", () => ++made)];
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }]);
  const run = await begin(createRuns({ store, model, tools }), requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const { data } = await store.listApprovals({ owner, runId: run.id });
  return { run, tools, approvalId: data[0]!.id, made: () => made };
}

// Contract: durability-15
test("the next server acts on an answer that its server stored before it died", async () => {
  await withMemoryStore(async (store) => {
    const { run, tools, approvalId, made } = await parked(store);
    await store.write([{ type: "answer-approval", owner, id: approvalId, answer: allow }]);
    const runs = createRuns({ store, tools, model: new ScriptedModel(["done"]) });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, run.id, "completed");
    assert.equal(made(), 1);
  });
});

test("a second answer to a run in progress does not wait for the run's end", async () => {
  await withMemoryStore(async (store) => {
    const { run, tools, approvalId } = await parked(store);
    const hold = Promise.withResolvers<string>();
    const runs = createRuns({ store, tools, model: new ScriptedModel([() => hold.promise]) });
    await runs.answer(owner, approvalId, allow);
    const again = await runs.answer(owner, approvalId, allow);
    assert.equal(again?.status, "allowed");
    assert.equal((await store.getRun({ owner, id: run.id }))?.status, "in_progress");
    hold.resolve("done");
    await runIn(store, run.id, "completed");
  });
});

test("an answer to an expired approval changes nothing, and the run continues", async () => {
  await withMemoryStore(async (store, clock) => {
    const { run, tools, approvalId, made } = await parked(store);
    clock.set(Number.MAX_SAFE_INTEGER);
    const runs = createRuns({ store, tools, model: new ScriptedModel(["done"]) });
    await runs.expireApprovals();
    assert.equal((await runs.answer(owner, approvalId, allow))?.status, "expired");
    await runIn(store, run.id, "completed");
    assert.equal(made(), 0);
  });
});

test("an answered run that cannot be resumed ends with the reason, and the answer is not an error", async () => {
  await withMemoryStore(async (store) => {
    const { run, approvalId } = await parked(store);
    const runs = createRuns({
      store,
      model: new ScriptedModel([]),
      createExecutor: () => {
        throw new Error("no such group");
      },
    });
    assert.equal((await runs.answer(owner, approvalId, allow))?.status, "allowed");
    const failed = await runIn(store, run.id, "failed");
    assert.match(failed.result?.error?.message ?? "", /no such group/);
    assert.match(runs.lines.join("\n"), /no such group/);
  });
});

test("approvals of other runs expire even if one run cannot be resumed", async () => {
  await withMemoryStore(async (store, clock) => {
    const first = await parked(store);
    const second = await parked(store);
    clock.set(Number.MAX_SAFE_INTEGER);
    let executors = 0;
    const create = executorsOf(first.tools);
    const runs = createRuns({
      store,
      model: new ScriptedModel(["done"]),
      createExecutor: (options) => {
        if (executors++ === 0) throw new Error("no such group");
        return create(options);
      },
    });
    await runs.expireApprovals();
    await runIn(store, first.run.id, "failed");
    await runIn(store, second.run.id, "completed");
  });
});

test("the commit of an answer also claims its run: the run needs no second claim", async () => {
  await withMemoryStore(async (inner) => {
    const { run, tools, approvalId, made } = await parked(inner);
    const written: string[] = [];
    const store: Store = {
      ...inner,
      write: (writes) => {
        written.push(...writes.map(({ type }) => type));
        return inner.write(writes);
      },
    };
    const runs = createRuns({ store, tools, model: new ScriptedModel(["done"]) });
    await runs.answer(owner, approvalId, allow);
    const { epoch } = await runIn(store, run.id, "completed");
    assert.deepEqual(
      [made(), epoch, new Set(written)],
      [1, 2, new Set(["answer-approval", "journal"])],
    );
  });
});

test("a run that is cancelled right after its answer does not make its call", async () => {
  await withMemoryStore(async (store) => {
    const { run, tools, approvalId, made } = await parked(store);
    const runs = createRuns({ store, tools, model: new ScriptedModel(["done"]) });
    await Promise.all([runs.answer(owner, approvalId, allow), runs.cancel(run)]);
    const { epoch } = await runIn(store, run.id, "cancelled");
    assert.equal(made(), 0);
    assert.deepEqual(runs.lines, []);
    assert.ok(epoch >= 2);
  });
});
