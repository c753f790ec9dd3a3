import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@capstan/core";
import { newRun, owner, withFileStore } from "../testing/store-fixtures.ts";

function nested(depth: number): JsonObject {
  let value: JsonObject = {};
  for (let n = 0; n < depth; n++) value = { items: value };
  return value;
}

test("a request that is nested too deeply to be posted fails alone", async () => {
  await withFileStore(async (store) => {
    const deep = newRun({ id: "deep" });
    const [failed, others] = await Promise.all([
      store
        .write([
          {
            type: "create-run",
            run: { ...deep, request: nested(20_000) },
          } as never,
        ])
        .then(
          () => "stored",
          () => "failed",
        ),
      Promise.all(
        ["a", "b"].map((id) => store.write([{ type: "create-run", run: newRun({ id }) }])),
      ),
    ]);
    assert.equal(failed, "failed");
    assert.equal(others.length, 2);
    assert.notEqual(await store.getRun({ owner, id: "a" }), undefined);
    assert.notEqual(await store.getRun({ owner, id: "b" }), undefined);
    assert.equal(await store.getRun({ owner, id: "deep" }), undefined);
  });
});
