import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import { owner, withMemoryStore } from "@capstan/store/testing";
import { defaultServerLimits } from "../request/run-limits.ts";
import {
  asking,
  begin,
  createRuns,
  executorsOf,
  requestOf,
  runIn,
  tool,
} from "../../testing/run-fixtures.ts";

/**
 * Starts a server that dies before it writes to an existing journal, so that its model's text is
 * lost.
 */
function dyingRuns(store: Store, tools: readonly Tool[] = [], model = new ScriptedModel(["lost"])) {
  return createRuns({ store: dyingStore(store), model, tools });
}

function dyingStore(store: Store): Store {
  return {
    ...store,
    write: (writes) => (writes[0]?.type === "journal" ? never : store.write(writes)),
  };
}

const never = Promise.withResolvers<never>().promise;

const hanging = {
  id: "test/hangs",
  async *stream() {
    yield await never;
  },
};

async function hasBegun(store: Store, id: string): Promise<void> {
  while ((await store.getRun({ owner, id }))?.lastSeq === 0) await new Promise(setImmediate);
}

const roles = async (store: Store, runId: string) =>
  (await store.readMessages({ owner, runId }))?.map(({ role }) => role);

test("a run that could not be started keeps its message, and a retry shows it to the model", async () => {
  await withMemoryStore(async (store) => {
    const model = new ScriptedModel(["answer"]);
    const create = executorsOf([]);
    let broken = true;
    const runs = createRuns({
      store,
      model,
      createExecutor: (options) => {
        if (broken) throw new Error("no such group");
        return create(options);
      },
    });
    const run = await runIn(store, (await begin(runs, requestOf("MY QUESTION"))).id, "failed");
    broken = false;
    const retried = await runs.retry(run, model.id);
    assert.equal(retried.status, "started");
    await runIn(store, (retried as { run: { id: string } }).run.id, "completed");
    assert.deepEqual(model.requests[0]?.messages.at(-1), { role: "user", content: "MY QUESTION" });
  });
});

// Contract: durability-10
test("a run whose server died at its start is started by the next one", async () => {
  await withMemoryStore(async (store) => {
    const { id } = await begin(dyingRuns(store), requestOf("MY QUESTION"));
    const model = new ScriptedModel(["answer"]);
    const runs = createRuns({ store, model });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, id, "completed");
    assert.deepEqual(model.requests[0]?.messages.at(-1), {
      role: "user",
      content: "MY QUESTION",
    });
    assert.deepEqual(await roles(store, id), ["user", "assistant"]);
  });
});

test("a run that had only heartbeats when its server died is started by the next one", async () => {
  await withMemoryStore(async (store) => {
    const { id: runId } = await begin(dyingRuns(store), requestOf("MY QUESTION"));
    await signOfLife(store, runId);
    const model = new ScriptedModel(["answer"]);
    const runs = createRuns({ store, model });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, runId, "completed");
    const events = (await store.readEvents({ owner, runId })) ?? [];
    assert.deepEqual(
      events.map(({ type }) => type).filter((type) => type.startsWith("chain.")),
      ["chain.started", "chain.ended"],
    );
    assert.deepEqual(await roles(store, runId), ["user", "assistant"]);
  });
});

test("a run whose server died while it took a turn over continues with the turn and the new input", async () => {
  await withMemoryStore(async (store) => {
    const tools = [tool("Look", () => "found")];
    const first = new ScriptedModel([{ calls: [{ name: "Look" }] }, { error: new Error("gone") }]);
    const parent = await begin(createRuns({ store, model: first, tools }), requestOf("QUESTION"));
    await runIn(store, parent.id, "failed");
    const request = requestOf("AND MORE", { parentId: parent.id, continuesParent: true });
    const { id } = await begin(dyingRuns(store, tools), request);
    const model = new ScriptedModel(["answer"]);
    const runs = createRuns({ store, model, tools });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, id, "completed");
    assert.deepEqual(
      model.requests[0]?.messages.map(({ role }) => role),
      ["system", "user", "assistant", "tool", "user"],
    );
  });
});

// Contract: durability-10, durability-11
test("a run that crashes its servers is closed after the maximum number of crashes, with a message", async () => {
  await withMemoryStore(async (store) => {
    const limits = { ...defaultServerLimits, maxCrashes: 3 };
    let asked = Promise.withResolvers<void>();
    const model = {
      id: "test/hangs",
      async *stream() {
        asked.resolve();
        yield await never;
      },
    };
    const { id } = await begin(createRuns({ store, model, limits }), requestOf("QUESTION"));
    for (let died = 0; died < 3; died += 1) {
      await asked.promise;
      asked = Promise.withResolvers();
      const next = createRuns({ store, model, limits });
      await next.recover(await next.listUnfinished());
    }
    await asked.promise;
    const last = createRuns({ store, model, limits });
    await last.recover(await last.listUnfinished());
    const { result } = await runIn(store, id, "failed");
    assert.equal(result?.error?.code, "interrupted");
    assert.match(result.error.message, /crashed repeatedly/);
    assert.deepEqual(await last.listUnfinished(), []);
  });
});

// Contract: durability-11
test("a run that crashes its servers is closed, even if it is queued each time before it resumes", async () => {
  await withMemoryStore(async (store) => {
    const limits = { ...defaultServerLimits, maxCrashes: 2 };
    const { id } = await begin(createRuns({ store, model: hanging, limits }), requestOf("Q"));
    await hasBegun(store, id);
    for (let died = 0; died < 3; died += 1) {
      const full = createRuns({ store, model: hanging, limits: { ...limits, runsAtOnce: 0 } });
      await full.recover(await full.listUnfinished());
      assert.equal((await store.getRun({ owner, id }))?.status, "queued");
      const next = createRuns({ store, model: hanging, limits });
      await next.recover(await next.listUnfinished());
    }
    const { result } = await runIn(store, id, "failed");
    assert.equal(result?.error?.code, "interrupted");
    assert.match(result.error.message, /crashed repeatedly/);
  });
});

// Contract: durability-11
test("a run that crashes its servers while they read it is closed without being read", () =>
  closedUnread((store) => store, hasBegun));

// Contract: durability-11
test("a run that crashes its servers while they read it is closed unread, even with open streams", async () => {
  await withMemoryStore(async (store) => {
    const limits = { ...defaultServerLimits, maxCrashes: 2 };
    const { id } = await begin(createRuns({ store, model: hanging, limits }), requestOf("Q"));
    await hasBegun(store, id);
    const deadly: Store = { ...store, readChain: () => never };
    for (let died = 0; died < 3; died += 1) {
      const full = createRuns({ store, model: hanging, limits: { ...limits, runsAtOnce: 0 } });
      await full.recover(await full.listUnfinished());
      await signOfLife(store, id);
      await signOfLife(store, id);
      const next = createRuns({ store: deadly, model: hanging, limits });
      void next.recover(await next.listUnfinished());
      while ((await store.getRun({ owner, id }))?.status === "queued")
        await new Promise(setImmediate);
    }
    assert.match(
      (await runIn(store, id, "failed")).result?.error?.message ?? "",
      /crashed repeatedly/,
    );
  });
});

async function signOfLife(store: Store, runId: string): Promise<void> {
  const { epoch } = (await store.getRun({ owner, id: runId }))!;
  const writes = [{ type: "event", event: { type: "run.heartbeat", at: 1 } }] as const;
  const [told] = await store.write([{ type: "journal", runId, epoch, writes }]);
  assert.equal(told.status, "committed");
}

test("a run that crashes its servers before its start is closed, too", () =>
  closedUnread(dyingStore, async () => {}));

// Contract: durability-11
test("the registry retries to close a run if the store rejects its end", () =>
  closedUnread((store) => store, hasBegun, failingOnce));

/** The store rejects the first end of a run. */
function failingOnce(store: Store): Store {
  let hasFailed = false;
  return {
    ...store,
    write: async (writes) => {
      if (hasFailed || !writes.some((write) => write.type === "journal" && write.status))
        return store.write(writes);
      hasFailed = true;
      throw new Error("the disk is full");
    },
  };
}

/**
 * Creates a run that crashes three servers, the last two while they read it. `ready` resolves when
 * the first server can read it.
 */
async function closedUnread(
  firstStore: (store: Store) => Store,
  ready: (store: Store, id: string) => Promise<void>,
  lastStore: (store: Store) => Store = (store) => store,
): Promise<void> {
  await withMemoryStore(async (store) => {
    const limits = { ...defaultServerLimits, maxCrashes: 2 };
    const first = createRuns({ store: firstStore(store), model: hanging, limits });
    const { id } = await begin(first, requestOf("Q"));
    await ready(store, id);
    // Reads of this run never return.
    const deadly: Store = {
      ...store,
      readChain: (query) => (query.runId === id ? never : store.readChain(query)),
    };
    for (let died = 0; died < 2; died += 1) {
      const next = createRuns({ store: deadly, model: hanging, limits });
      void next.recover(await next.listUnfinished());
      while ((await deathsOf(store, id)) <= died) await new Promise(setImmediate);
    }
    const last = createRuns({ store: lastStore(deadly), model: hanging, limits });
    await last.recover(await last.listUnfinished());
    const { result } = await runIn(store, id, "failed");
    assert.equal(result?.error?.code, "interrupted");
    assert.match(result.error.message, /while it loaded this run/);
    assert.deepEqual(await last.listUnfinished(), []);
  });
}

// Contract: durability-11
test("does not close a run that is handed back repeatedly", async () => {
  await withMemoryStore(async (store) => {
    const limits = { ...defaultServerLimits, maxCrashes: 1 };
    let runs = createRuns({ store, model: hanging, limits });
    const { id } = await begin(runs, requestOf("Q"));
    await hasBegun(store, id);
    for (let restarts = 0; restarts < 4; restarts += 1) {
      assert.equal(await runs.close(0), 1);
      runs = createRuns({ store, model: hanging, limits });
      await runs.recover(await runs.listUnfinished());
      assert.equal((await store.getRun({ owner, id }))?.status, "in_progress");
    }
    assert.equal(await deathsOf(store, id), 0);
  });
});

const deathsOf = async (store: Store, runId: string) =>
  ((await store.readEvents({ owner, runId })) ?? []).filter(({ type }) => type === "run.orphaned")
    .length;

// Contract: loop-60
test("a run that only waited resumes immediately; a run that was handed back resumes after its claim is stored", async () => {
  for (const [waits, asked] of [
    [true, 1],
    [false, 0],
  ] as const) {
    await withMemoryStore(async (store) => {
      const tools = [asking("Look", () => "found")];
      const asks = new ScriptedModel([{ calls: [{ name: "Look" }] }]);
      const first = createRuns({ store, model: waits ? asks : hanging, tools });
      const { id } = await begin(first, requestOf("QUESTION"));
      if (waits) await runIn(store, id, "requires_action");
      else await hasBegun(store, id);
      await first.close(0);
      const { data } = await store.listApprovals({ owner, runId: id });
      for (const approval of data) await first.answer(owner, approval.id, { decision: "refuse" });
      assert.equal((await store.getRun({ owner, id }))?.status, "queued");
      const model = new ScriptedModel(["answer"]);
      const next = dyingRuns(store, tools, model);
      await next.recover(await next.listUnfinished());
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      assert.equal(model.requests.length, asked);
    });
  }
});

test("the journal contains a run's initial state only once", async () => {
  await withMemoryStore(async (store) => {
    const tools = [tool("Look", () => "found")];
    const model = new ScriptedModel([
      { calls: [{ name: "Look" }] },
      { error: new Error("gone") },
      "answer",
    ]);
    const runs = createRuns({ store, model, tools });
    const { id } = await begin(runs, requestOf("QUESTION"));
    const failed = await runIn(store, id, "failed");
    assert.deepEqual(await roles(store, id), ["user", "assistant"]);
    const retried = (await runs.retry(failed, model.id)) as { run: { id: string } };
    await runIn(store, retried.run.id, "completed");
    assert.deepEqual(await roles(store, retried.run.id), ["user", "assistant", "assistant"]);
    const [call, ...others] = (await store.readCalls({ owner, runId: retried.run.id })) ?? [];
    assert.deepEqual([call?.call.status, others.length], ["succeeded", 0]);
  });
});

// Contract: loop-15
test("a run whose group of tools no longer exists when it resumes continues with the other groups", async () => {
  await withMemoryStore(async (store) => {
    const gone = { label: "gone", group: "gone" };
    const request = requestOf("QUESTION", { servers: [gone, { label: "g", group: "g" }] });
    const tools = [tool("Look", () => "found")];
    const { id } = await begin(dyingRuns(store, tools), request);
    const model = new ScriptedModel(["answer"]);
    const runs = createRuns({ store, model, tools });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, id, "completed");
    assert.deepEqual(
      model.requests[0]?.tools.map(({ function: f }) => f.name),
      ["Look"],
    );
  });
});
