import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import { compactDeltas, openMemoryStore, type Store } from "@capstan/store";
import { dayMs, owner, settableClock, writeStreamedItems } from "@capstan/store/testing";
import { createProjection } from "./project-events.ts";
import { identity } from "../../testing/run-script.ts";

const eventsOf = async (store: Store, after = 0) =>
  (await store.readEvents({ owner, runId: "r", after })) ?? [];

function wire(events: readonly RunEvent[]) {
  const projection = createProjection(identity);
  return [...projection.begin(), ...events.flatMap((event) => projection.push(event))];
}

test("deltas keep their numbers and make the same text, on both wires, from any number on", async () => {
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  await writeStreamedItems(store, "r");
  const before = await eventsOf(store);
  const saved = await compactDeltas({ store, deltaDays: 7, now: 8 * dayMs });
  assert.ok(saved.bytes > 0);
  const after = await eventsOf(store);
  assert.notDeepEqual(after, before, "they are cut elsewhere");
  const shape = ({ seq, type }: RunEvent) => [seq, type];
  assert.deepEqual(after.map(shape), before.map(shape));
  for (const itemId of ["a", "b", "c"]) {
    const textOf = (events: readonly RunEvent[]) =>
      events
        .flatMap((e) => (e.type === "item.delta" && e.itemId === itemId ? e.delta : []))
        .join("");
    assert.equal(textOf(after), textOf(before));
  }
  for (const event of after)
    if (event.type === "item.delta") assert.ok(event.delta.isWellFormed() && event.delta !== "");
  assert.deepEqual(
    wire(after).map(({ sequence_number, type }) => [sequence_number, type]),
    wire(before).map(({ sequence_number, type }) => [sequence_number, type]),
  );
  for (let from = 0; from < after.length; from++)
    assert.deepEqual(await eventsOf(store, from), after.slice(from));
  assert.deepEqual(
    (await store.readEventsCompact({ owner, runId: "r" }))?.lastSeq,
    before.at(-1)?.seq,
  );
});
