import assert from "node:assert/strict";
import type { VariableChange } from "@capstan/core";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  commit,
  createRun,
  longText,
  owner,
  resultOf,
  valueOf,
  variableOf,
} from "../../testing/store-fixtures.ts";

const set = (name: string, text: string): VariableChange => ({
  type: "set",
  variable: variableOf(name, text),
});
const [one, two, over] = ["one", "two", "over"].map(longText) as [string, string, string];

async function write(store: Store, runId: string, ...changes: VariableChange[]): Promise<void> {
  const writes = changes.map((change) => ({ type: "variable", change }) as const);
  await commit(store, runId, [...writes, resultOf("completed")]);
}

async function textOf(store: Store, runId: string, name: string): Promise<string | undefined> {
  const entry = (await store.readManifest({ owner, runId }))?.[name];
  return (await valueOf(store, entry))?.text;
}

const bytesOf = async (store: Store) => (await store.everyUsage())[0]?.byKind.variables ?? 0;

// Contract: durability-30
everyStore(
  "deletes overwritten values and keeps those that a run of the session refers to",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "a" });
      await write(store, "a", set("v", over.repeat(4)), set("v", one), set("w", "kept"));
      await createRun(store, { id: "b", parentId: "a" });
      await write(store, "b", set("v", two));
      const before = await bytesOf(store);
      const { found, more } = await store.everyUnreachable({ after: 0 });
      assert.equal(more, false);
      assert.deepEqual(
        found.map(({ sessionId, manifests, values }) => [
          sessionId,
          manifests.length,
          values.length,
        ]),
        [["a", 0, 1]],
      );
      const [outcome] = await store.write([{ type: "drop-unreachable", found: found[0]! }]);
      assert.equal(outcome.status, "dropped");
      assert.ok(before - (await bytesOf(store)) > 4_000);
      assert.equal(await textOf(store, "a", "v"), one);
      assert.equal(await textOf(store, "a", "w"), "kept");
      assert.equal(await textOf(store, "b", "v"), two);
      assert.deepEqual((await store.everyUnreachable({ after: 0 })).found, []);
    });
  },
);

// Contract: durability-30
everyStore(
  "deletes nothing in a session that has changed since the read or has a run in progress",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "a" });
      await write(store, "a", set("v", over), set("v", one));
      const { found } = await store.everyUnreachable({ after: 0 });
      await createRun(store, { id: "b", parentId: "a" });
      const drop = { type: "drop-unreachable", found: found[0]! } as const;
      assert.equal((await store.write([drop]))[0].status, "refused");
      assert.deepEqual((await store.everyUnreachable({ after: 0 })).found, []);
      // It sets the same value that the read found.
      await write(store, "b", set("v", over));
      assert.equal((await store.write([drop]))[0].status, "refused");
      assert.equal(await textOf(store, "b", "v"), over);
      const edit = {
        type: "edit-variables",
        owner,
        runId: "b",
        changes: [set("v", two)],
      } as const;
      const later = await store.everyUnreachable({ after: 0 });
      await store.write([edit]);
      assert.deepEqual(later.found, []);
      const [left] = (await store.everyUnreachable({ after: 0 })).found;
      assert.deepEqual([left?.manifests.length, left?.values.length], [1, 1]);
    });
  },
);
