import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "@capstan/contract";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner, settableClock, writeStreamedItems } from "@capstan/store/testing";
import { createProjection } from "./project-events.ts";
import { identity } from "../../testing/run-script.ts";

const hourMs = 60 * 60 * 1_000;

const eventsOf = async (store: Store, after = 0) =>
  (await store.readEvents({ owner, runId: "r", after })) ?? [];

function textOf(events: readonly RunEvent[], itemId: string): string {
  return events
    .flatMap((e) => (e.type === "item.delta" && e.itemId === itemId ? e.delta : []))
    .join("");
}

function wire(events: readonly RunEvent[]) {
  const projection = createProjection(identity);
  return [...projection.begin(), ...events.flatMap((event) => projection.push(event))];
}

// Contract: durability-31
test("an hour after a run's end both APIs stream each text as one delta, from any number on", async () => {
  const clock = settableClock();
  const store = openMemoryStore({ clock });
  await writeStreamedItems(store, "r");
  clock.set(clock.now() + hourMs - 1);
  const before = await eventsOf(store);
  clock.set(clock.now() + 1);
  const after = await eventsOf(store);
  for (const itemId of ["a", "b", "c"]) {
    assert.equal(textOf(after, itemId), textOf(before, itemId));
    const deltas = after.filter((e) => e.type === "item.delta" && e.itemId === itemId);
    assert.equal(deltas.length, 1);
  }
  // All other events keep their content and number.
  const others = (events: readonly RunEvent[]) =>
    events.filter(({ type }) => type !== "item.delta");
  assert.deepEqual(others(after), others(before));
  const numbers = after.map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].toSorted((a, b) => a - b),
  );
  for (const limit of [1, 2, 100])
    for (let from = 0; from <= (before.at(-1)?.seq ?? 0); from++) {
      const page = await store.readEventPage({ owner, runId: "r", after: from, limit });
      const rest = after.filter(({ seq }) => seq > from);
      assert.deepEqual(page?.events, rest.slice(0, limit));
      assert.ok((page?.full ?? false) || rest.length < limit);
    }
  const exact = wire(before);
  const joined = wire(after);
  const sent = joined.map(({ sequence_number: n }) => n);
  assert.deepEqual(
    sent,
    [...new Set(sent)].toSorted((a, b) => a - b),
  );
  // The end of each text has no lower number than in the original stream. So a reader that stopped
  // anywhere in the original stream still gets it.
  for (const event of exact) {
    if (!event.type.endsWith(".done")) continue;
    const again = joined.find(
      (each) =>
        each.type === event.type &&
        !("item_id" in each && "item_id" in event && each.item_id !== event.item_id),
    );
    assert.ok((again?.sequence_number ?? -1) >= event.sequence_number, event.type);
  }
});
