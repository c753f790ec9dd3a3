import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { VariableChange } from "@capstan/core";
import type { Store } from "../src/live/store.ts";
import { openStore } from "../src/sqlite/open-store.ts";
import { everyStore } from "../src/testing/every-store.ts";
import {
  commit,
  createRun,
  longText,
  owner,
  resultOf,
  valueOf,
  variableOf,
  withDataDir,
  withFileStore,
} from "../src/testing/store-fixtures.ts";

const set = (name: string, text: string): VariableChange => ({
  type: "set",
  variable: variableOf(name, text),
});

const removed = (name: string): VariableChange => ({ type: "removed", name, reason: "removed" });

const write = (store: Store, runId: string, ...changes: VariableChange[]) =>
  commit(
    store,
    runId,
    changes.map((change) => ({ type: "variable", change })),
  );

/** The texts of a run's variables by name. */
async function texts(store: Store, runId: string): Promise<{ [name: string]: string | undefined }> {
  const manifest = (await store.readManifest({ owner, runId })) ?? {};
  const entries = Object.entries(manifest).map(
    async ([name, entry]) => [name, (await valueOf(store, entry))?.text] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

// Contract: variables-31
everyStore(
  "variables are readable while the run is in progress, and as its manifest afterwards",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await write(store, "r", set("a", "1"), set("b", "2"), set("a", "3"), removed("b"));
      assert.deepEqual(await texts(store, "r"), { a: "3" });
      await commit(store, "r", [resultOf("completed")]);
      assert.deepEqual(await texts(store, "r"), { a: "3" });
    });
  },
);

everyStore(
  "a manifest of any size has the changes of all commits of a run, including the last",
  async (withStore) => {
    await withStore(async (store) => {
      const last = (name: string) => [
        { type: "variable", change: set(name, "last") } as const,
        resultOf("completed"),
      ];
      // All changes in one commit; changes after a suspension, with an empty cache; and more
      // changes than the cache can hold.
      for (const id of ["at once", "waited", "much"]) {
        await createRun(store, { id });
        await write(store, id, set("a", "1"), set("b", "1"));
        if (id === "much") {
          // Small values, which are in the entries of the changes.
          for (let n = 0; n < 8; n++)
            await write(
              store,
              id,
              ...Array.from({ length: 20 }, (_, i) => set(`${n} ${i}`, "x".repeat(500))),
            );
        }
        if (id === "waited") {
          await store.write([{ type: "set-status", runId: id, status: "requires_action" }]);
          await store.write([{ type: "claim-run", runId: id }]);
        }
        await commit(store, id, last("b"), id === "waited" ? 2 : 1);
        const { a, b, ...others } = await texts(store, id);
        assert.deepEqual([a, b], ["1", "last"]);
        assert.equal(Object.keys(others).length, id === "much" ? 160 : 0);
      }
    });
  },
);

// Contract: variables-31, variables-78
everyStore(
  "a run reads its parent's variables as of its start, without later changes of the parent or siblings",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "root" });
      await write(store, "root", set("a", "1"));
      await createRun(store, { id: "early", parentId: "root" });
      await write(store, "root", set("a", "2"));
      await commit(store, "root", [resultOf("completed")]);
      await createRun(store, { id: "late", parentId: "root" });
      await write(store, "early", set("own", "early"));
      await store.write([
        { type: "edit-variables", owner, runId: "root", changes: [set("a", "edited")] },
      ]);
      assert.deepEqual(await texts(store, "early"), { a: "1", own: "early" });
      assert.deepEqual(await texts(store, "late"), { a: "2" });
      assert.deepEqual(await texts(store, "root"), { a: "edited" });
    });
  },
);

everyStore(
  "an evicted variable stays stored and is marked as evicted until it is set again",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const evicted = (name: string): VariableChange => ({
        type: "removed",
        name,
        reason: "evicted",
      });
      await write(store, "r", set("a", "1"), evicted("a"), evicted("unknown"));
      await commit(store, "r", [resultOf("completed")]);
      assert.deepEqual(await texts(store, "r"), { a: "1" });
      assert.equal((await store.readManifest({ owner, runId: "r" }))?.["a"]?.evicted, true);
      await store.write([{ type: "edit-variables", owner, runId: "r", changes: [set("a", "2")] }]);
      assert.equal((await store.readManifest({ owner, runId: "r" }))?.["a"]?.evicted, undefined);
    });
  },
);

everyStore(
  "a user's edit is a run of its own, created, filled and ended in one call",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await write(store, "r", set("a", "1"));
      await commit(store, "r", [resultOf("completed")]);
      const outcomes = await store.write([
        {
          type: "create-run",
          run: {
            id: "e",
            owner,
            kind: "edit",
            status: "completed",
            parentId: "r",
            model: "",
            request: null,
            input: [],
          },
        },
        { type: "edit-variables", owner, runId: "e", changes: [set("a", "2"), set("b", "new")] },
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["created", "edited"],
      );
      assert.deepEqual(await texts(store, "e"), { a: "2", b: "new" });
      assert.deepEqual(await texts(store, "r"), { a: "1" });
    });
  },
);

// Contract: variables-2
test("any name and any text is read back as it was written, and a value with its data", async () => {
  await withFileStore(async (store) => {
    await createRun(store, { id: "r" });
    const large = '\ud800\0 "quoted"'.repeat(120_000);
    const typed = { ...variableOf("typed", "[1]"), value: { text: "[1]", data: [1] } };
    await write(store, "r", set("__proto__", "odd"), set("large", large), {
      type: "set",
      variable: typed,
    });
    await commit(store, "r", [resultOf("completed")]);
    const manifest = (await store.readManifest({ owner, runId: "r" })) ?? {};
    assert.deepEqual(Object.keys(manifest).toSorted(), ["__proto__", "large", "typed"]);
    const value = (name: string) =>
      valueOf(store, Object.getOwnPropertyDescriptor(manifest, name)?.value);
    assert.deepEqual(await value("__proto__"), { text: "odd" });
    assert.deepEqual(await value("large"), { text: large });
    assert.deepEqual(await value("typed"), { text: "[1]", data: [1] });
  });
});

// Contract: variables-31
everyStore(
  "another owner sees neither manifest nor value, and cannot edit or continue",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      await write(store, "r", set("a", longText("1")));
      const digest = (await store.readManifest({ owner, runId: "r" }))?.["a"]?.digest ?? "";
      assert.equal(await store.readManifest({ owner: "other", runId: "r" }), undefined);
      assert.equal((await store.readValue({ owner, digest }))?.text, longText("1"));
      assert.equal(await store.readValue({ owner: "other", digest }), undefined);
      const [edit] = await store.write([
        { type: "edit-variables", owner: "other", runId: "r", changes: [set("a", "x")] },
      ]);
      assert.equal(edit.status, "not_found");
      const run = { id: "s", owner: "other", model: "m", request: {}, input: [] };
      const [child] = await store.write([{ type: "create-run", run: { ...run, parentId: "r" } }]);
      const [intruder] = await store.write([
        { type: "create-run", run: { ...run, sessionId: "r" } },
      ]);
      assert.equal(child.status, "refused");
      assert.equal(intruder.status, "refused");
    });
  },
);

everyStore(
  "variables are read with their values at once; large values are read separately",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const small = Object.fromEntries(
        Array.from({ length: 70 }, (_, n) => [`v${n}`, `value ${n % 50}`]),
      );
      const longer = Object.fromEntries(
        Array.from({ length: 70 }, (_, n) => [`l${n}`, longText(`value ${n % 50}`)]),
      );
      const given = { ...small, ...longer, large: "x".repeat(2_000_000) };
      const changes = Object.entries(given).map(([name, text]) => set(name, text));
      await store.write([{ type: "edit-variables", owner, runId: "r", changes }]);
      const read = await store.readVariables({ owner, runId: "r" });
      const found = Object.entries(read?.manifest ?? {}).map(([name, { value, digest = "" }]) => [
        name,
        (value ?? read?.values[digest])?.text,
      ]);
      assert.equal(Object.keys(read?.values ?? {}).length, 50);
      assert.deepEqual(Object.fromEntries(found), { ...small, ...longer, large: undefined });
      assert.equal(await store.readVariables({ owner: "another", runId: "r" }), undefined);
    });
  },
);

everyStore(
  "a small value is stored in its entry, a large one separately, and either replaces the other",
  async (withStore) => {
    await withStore(async (store) => {
      await createRun(store, { id: "r" });
      const long = longText("long");
      await write(store, "r", set("a", "small"), set("b", long));
      await write(store, "r", set("a", long), set("b", "small"), set("c", long));
      for (const ends of [false, true]) {
        if (ends) await commit(store, "r", [resultOf("completed")]);
        const { a, b, c } = (await store.readManifest({ owner, runId: "r" })) ?? {};
        assert.deepEqual([a?.value, b?.value], [undefined, { text: "small" }]);
        assert.deepEqual([b?.digest, c?.digest], [undefined, a?.digest]);
        assert.deepEqual(await texts(store, "r"), { a: long, b: "small", c: long });
      }
    });
  },
);

test("no part of a removed small value is left in the database once its manifest is deleted", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir });
    await createRun(store, { id: "r" });
    await write(store, "r", set("a", "tulip"), set("b", "rose"));
    await commit(store, "r", [resultOf("completed")]);
    await store.write([{ type: "edit-variables", owner, runId: "r", changes: [removed("a")] }]);
    const [found] = (await store.everyUnreachable({ after: 0 })).found;
    await store.write([{ type: "drop-unreachable", found: found! }]);
    assert.doesNotMatch(JSON.stringify(await store.readManifest({ owner, runId: "r" })), /tulip/);
    await store.close();
    const sql = new DatabaseSync(join(dataDir, "capstan.db"), { readOnly: true });
    const rows = ["run_variables", "manifests", "variable_values"].flatMap((table) =>
      sql.prepare(`SELECT * FROM ${table}`).all(),
    );
    sql.close();
    assert.match(JSON.stringify(rows), /rose/);
    assert.doesNotMatch(JSON.stringify(rows), /tulip/);
  });
});

everyStore("a long value of a run or of an edit is read back with its data", async (withStore) => {
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const text = `x${"🙂".repeat(200_000)}`;
    const value = { text, data: { pairs: text, numbers: Array.from({ length: 9_000 }, () => 1) } };
    const long: VariableChange = { type: "set", variable: { ...variableOf("a", text), value } };
    await write(store, "r", long, set("b", text));
    await store.write([
      { type: "edit-variables", owner, runId: "r", changes: [{ ...long }, set("c", text)] },
    ]);
    await commit(store, "r", [resultOf("completed")]);
    const { a, b, c } = (await store.readManifest({ owner, runId: "r" })) ?? {};
    assert.deepEqual(await valueOf(store, a), value);
    assert.deepEqual(await valueOf(store, b), { text });
    assert.deepEqual(c?.digest, b?.digest);
  });
});

// Contract: durability-76
everyStore("a value of 50 MB is read back as it was written", async (withStore, kind) => {
  // The store in memory writes and reads values like the store in a file.
  if (kind === "memory") return;
  await withStore(async (store) => {
    await createRun(store, { id: "r" });
    const text = "0123456789abcde\n".repeat((50 * 1024 * 1024) / 16);
    const change = { type: "set", variable: variableOf("big", text) } as const;
    await commit(store, "r", [{ type: "variable", change }]);
    const digest = (await store.readManifest({ owner, runId: "r" }))?.["big"]?.digest ?? "";
    assert.ok((await store.readValue({ owner, digest }))?.text === text);
  });
});
