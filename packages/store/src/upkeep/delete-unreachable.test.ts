import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryStore } from "../sqlite/open-store.ts";
import { commit, createRun, longText, resultOf, variableOf } from "../testing/store-fixtures.ts";
import { deleteUnreachable } from "./delete-unreachable.ts";

test("any number of values is deleted in small commits, and the next search starts behind them", async () => {
  const store = openMemoryStore();
  await createRun(store, { id: "r" });
  const set = (text: string) =>
    ({
      type: "variable",
      change: { type: "set", variable: variableOf("v", longText(text)) },
    }) as const;
  const texts = Array.from({ length: 601 }, (_, n) => `value ${n}`);
  await commit(store, "r", [...texts.map(set), resultOf("completed")]);
  const dropped: number[] = [];
  const counting: typeof store = {
    ...store,
    write: (writes) => {
      for (const write of writes)
        if (write.type === "drop-unreachable") dropped.push(write.found.values.length);
      return store.write(writes);
    },
  };
  const last = await deleteUnreachable({ store: counting, after: 0 });
  assert.ok(Math.max(...dropped) < 600, dropped.join());
  assert.equal(
    dropped.reduce((sum, values) => sum + values, 0),
    600,
  );
  const commits = dropped.length;
  assert.equal(await deleteUnreachable({ store: counting, after: last }), last);
  assert.equal(dropped.length, commits);
});
