import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { everyStore } from "../../testing/every-store.ts";
import { createRun, owner } from "../../testing/store-fixtures.ts";
import { decodeText, encodeText } from "./text-codec.ts";

test("reads back any text unchanged, and its stored form is well formed without NUL", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((rest) => `\u0001${rest}`),
    fc.string().map((rest) => `${rest}\0\ud800`),
  );
  fc.assert(
    fc.property(text, (given) => {
      const encoded = encodeText(given);
      assert.ok(encoded.isWellFormed() && !encoded.includes("\0"));
      assert.equal(decodeText(encoded), given);
    }),
  );
});

test("JSON is stored unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      assert.equal(encodeText(json), json);
    }),
  );
});

everyStore("a title and an item's id can have any character", async (withStore) => {
  const id = "item \0 \u0001 😀";
  await withStore(async (store) => {
    await createRun(store, { id: "r", title: id });
    await store.write([
      { type: "save-items", runId: "r", direction: "input", items: [{ id, item: { text: id } }] },
    ]);
    assert.equal((await store.getRun({ owner, id: "r" }))?.title, id);
    assert.deepEqual(await store.getItem({ owner, id }), {
      id,
      runId: "r",
      direction: "input",
      item: { text: id },
    });
  });
});
