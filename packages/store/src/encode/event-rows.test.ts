import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnnumberedEvent } from "../records/records.ts";
import { encodeEvents } from "./event-rows.ts";

const start = (itemId: string): UnnumberedEvent => ({ type: "item.start", itemId, kind: "text" });
const delta = (itemId: string, text: string): UnnumberedEvent => ({
  type: "item.delta",
  itemId,
  delta: text,
});
const end = (itemId: string, text: string): UnnumberedEvent => ({ type: "item.end", itemId, text });

/** Expected loose events, by number. */
const loose = (...events: readonly UnnumberedEvent[]) =>
  encodeEvents(events).loose.map(({ at }) => at);

test("an item that begins and ends in a commit is stored in the commit's row without separate deltas", () => {
  const events = [start("i"), delta("i", "a"), delta("i", "b"), end("i", "ab")];
  const { count, deltas, rows } = encodeEvents(events);
  assert.deepEqual({ count, deltas, loose: loose(...events) }, { count: 4, deltas: 2, loose: [] });
  const stored = rows.map((row) => JSON.parse(row.events) as unknown);
  assert.deepEqual(stored, [[start("i"), end("i", "ab")]]);
});

test("leaves an item to the writer if it only begins or only ends in the commit, ends with a different text, or occurs twice", () => {
  assert.deepEqual(loose(start("i"), delta("i", "a")), [2]);
  assert.deepEqual(loose(delta("i", "a"), end("i", "a")), [1, 2]);
  assert.deepEqual(loose(end("i", "a")), [1]);
  assert.deepEqual(loose(start("i"), delta("i", "a"), end("i", "b")), [2, 3]);
  const once = [start("i"), delta("i", "a"), end("i", "a")];
  assert.deepEqual(loose(...once, ...once), [2, 3, 5, 6]);
  assert.deepEqual(loose(...once, start("o"), delta("o", "a")), [5]);
});
