import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store } from "../journal/store.ts";
import { owner, withMemoryStore } from "../journal/testing/store-fixtures.ts";
import { begin, createRuns, requestOf, runIn } from "./testing/run-fixtures.ts";

/** A store in which what one run did cannot be read any more. */
function damaged(store: Store, runId: string): Store {
  const refuse = async () => {
    throw new SyntaxError("Unexpected end of JSON input");
  };
  return {
    ...store,
    readChain: (query) => (query.runId === runId ? refuse() : store.readChain(query)),
  };
}

/** Two runs of a server that died. */
async function leftByAnother(store: Store): Promise<readonly string[]> {
  const never = Promise.withResolvers<never>().promise;
  const first = createRuns({ store, model: new ScriptedModel([() => never, () => never]) });
  const ids: string[] = [];
  for (const text of ["one", "two"]) {
    const { id } = await begin(first, requestOf(text));
    let run = await store.getRun({ owner, id });
    while (run?.lastSeq === 0) {
      await new Promise(setImmediate);
      run = await store.getRun({ owner, id });
    }
    ids.push(id);
  }
  return ids;
}

test("a run whose rows cannot be read is closed without them, says so, and the others go on", async () => {
  await withMemoryStore(async (store) => {
    const [bad, good] = (await leftByAnother(store)) as [string, string];
    const model = new ScriptedModel(["done"]);
    const runs = createRuns({ store: damaged(store, bad), model });
    await runs.recover(await runs.leftOver());
    await runIn(store, good, "completed");
    const { result } = await runIn(store, bad, "failed");
    assert.equal(result?.error?.code, "interrupted");
    assert.match(result.error.message, /cannot be read any more.*end of JSON input.*db check/s);
    const events = (await store.readEvents({ owner, runId: bad })) ?? [];
    assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
    assert.equal(events.at(-1)?.type, "chain.ended");
    assert.deepEqual(await runs.leftOver(), []);
  });
});

test("a run is claimed before it is read: what another node did until then is seen", async () => {
  await withMemoryStore(async (store) => {
    const [id] = (await leftByAnother(store)) as [string, string];
    const model = new ScriptedModel(["done", "done"]);
    const order: string[] = [];
    const seen: Store = {
      ...store,
      write: (writes) => {
        if (writes.some((write) => write.type === "claim-run")) order.push("claim");
        return store.write(writes);
      },
      getRun: (query) => {
        if (query.id === id) order.push("read");
        return store.getRun(query);
      },
      readChain: (query) => {
        if (query.runId === id) order.push("read");
        return store.readChain(query);
      },
    };
    const runs = createRuns({ store: seen, model });
    const left = await runs.leftOver();
    await runs.recover(left.filter((run) => run.id === id));
    await runIn(store, id, "completed");
    assert.equal(order[0], "claim");
    assert.ok(order.includes("read"));
  });
});
