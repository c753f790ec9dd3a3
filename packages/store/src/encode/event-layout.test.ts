import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeEvents, writeLayout } from "./event-rows.ts";
import {
  addDelta,
  countDeltas,
  type CutText,
  decodeCuts,
  type Delta,
  eventsIn,
  readLayout,
} from "./event-layout.ts";
import type { UnnumberedEvent } from "../records/records.ts";

const start = (itemId: string): UnnumberedEvent => ({ type: "item.start", itemId, kind: "text" });
const delta = (itemId: string, text: string): UnnumberedEvent => ({
  type: "item.delta",
  itemId,
  delta: text,
});
const end = (itemId: string, text: string): UnnumberedEvent => ({ type: "item.end", itemId, text });
const note: UnnumberedEvent = { type: "round.started", round: 1, at: 1 };

/**
 * The events of one commit after they are read back, and the loose events that the writer receives.
 */
function roundTrip(events: readonly UnnumberedEvent[], before: number) {
  const { count, deltas, rows, loose } = encodeEvents(events);
  assert.equal(count, events.length);
  assert.equal(deltas, events.filter(({ type }) => type === "item.delta").length);
  const read = rows.flatMap(({ last, ...row }) => eventsIn({ seq: before + last, ...row }));
  const rest = loose.map((each) => {
    const seq = before + each.at;
    if (each.type === "end") return { seq, ...(JSON.parse(each.data) as UnnumberedEvent) };
    return { seq, ...delta(each.itemId, each.delta) };
  });
  return [...read, ...rest].toSorted((a, b) => a.seq - b.seq);
}

test("an item that begins and ends in a commit is stored with its cuts in the row of the events around it", () => {
  const events = [
    start("a"),
    delta("a", "one"),
    note,
    delta("a", " two"),
    end("a", "one two"),
    note,
  ];
  const { rows, loose } = encodeEvents(events);
  assert.deepEqual(loose, []);
  assert.deepEqual(
    rows.map(({ last, cuts, events }) => [last, cuts, JSON.parse(events)]),
    [[6, "2@1:3;3:4", [start("a"), note, end("a", "one two"), note]]],
  );
});

test("leaves events to the writer if their item does not begin and end in the commit, or ends with a different text", () => {
  const events = [
    delta("before", "x"),
    end("before", "x"),
    start("other"),
    delta("other", "x"),
    end("other", "y"),
    start("after"),
    delta("after", "x"),
  ];
  const { rows, loose } = encodeEvents(events);
  assert.deepEqual(
    rows.map(({ last, cuts }) => [last, cuts]),
    [[6, "#1+2"]],
  );
  assert.deepEqual(
    loose.map((each) => [each.type, each.at, each.itemId]),
    [
      ["delta", 1, "before"],
      ["end", 2, "before"],
      ["delta", 4, "other"],
      ["end", 5, "other"],
      ["delta", 7, "after"],
    ],
  );
  assert.deepEqual(
    loose.flatMap((each) => (each.type === "delta" ? each.nth : [])),
    [0, 1, 2],
  );
});

test("splits many long events into several rows without separating an item from its deltas", () => {
  const text = "x".repeat(20_000);
  const items = ["a", "b", "c", "d"];
  const events = [
    ...items.flatMap((id) => [start(id), delta(id, text)]),
    ...items.map((id) => end(id, text)),
    ...items.flatMap((id) => [start(`${id}2`), delta(`${id}2`, text), end(`${id}2`, text)]),
  ];
  const { rows } = encodeEvents(events);
  assert.ok(rows.length > 1);
  assert.deepEqual(
    roundTrip(events, 7),
    events.map((each, index) => ({ seq: 8 + index, ...each })),
  );
});

/** Items that begin, continue and end at any time, sometimes in an invalid order. */
const anyEvents = fc
  .array(
    fc.tuple(
      fc.constantFrom("start", "delta", "end", "wrong end", "note"),
      fc.constantFrom("a", "b", "c"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((steps) => {
    const texts = new Map<string, string>();
    return steps.map(([type, id, text]): UnnumberedEvent => {
      if (type === "note") return note;
      if (type === "start") {
        texts.set(id, "");
        return start(id);
      }
      if (type === "wrong end") return end(id, text);
      if (type === "end") return end(id, texts.get(id) ?? "");
      texts.set(id, (texts.get(id) ?? "") + text);
      return delta(id, text);
    });
  });

test("reads back every event of a commit byte for byte under its number, for any items", () => {
  fc.assert(
    fc.property(anyEvents, fc.nat(1_000), (events, before) => {
      assert.deepEqual(
        roundTrip(events, before),
        events.map((each, index) => ({ seq: before + 1 + index, ...each })),
      );
    }),
    { numRuns: 500 },
  );
});

test("a layout is read back unchanged; a layout without deltas and gaps is null", () => {
  const layout = {
    items: [
      { index: 3, cuts: "1:4,3;9:2" },
      { index: 7, cuts: "20x4" },
    ],
    elsewhere: [
      { from: 5, count: 3 },
      { from: 30, count: 1 },
    ],
  };
  const text = writeLayout(layout);
  assert.equal(text, "3@1:4,3;9:2|7@20x4#5+3 30+1");
  assert.deepEqual(readLayout(text), layout);
  assert.equal(countDeltas(text), 7);
  assert.equal(writeLayout({ items: [], elsewhere: [] }), null);
});

test("cuts the deltas of a row that an older version compacted evenly, under the same numbers", () => {
  const events = JSON.stringify([{ type: "item.end", itemId: "a", text: "abcdefgh" }]);
  const read = eventsIn({ seq: 13, cuts: "0@0x3", events }).toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(
    read.map((each) => [each.seq, each.type === "item.delta" ? each.delta : each.type]),
    [
      [10, "ab"],
      [11, "cde"],
      [12, "fgh"],
      [13, "item.end"],
    ],
  );
});

const cutsOf = (deltas: readonly Delta[]) =>
  deltas.reduce<CutText | undefined>(addDelta, undefined)?.cuts ?? "";

test("writes a range of consecutive numbers once", () => {
  const deltas = [
    { seq: 12, delta: "four" },
    { seq: 13, delta: "one" },
    { seq: 20, delta: "" },
  ];
  assert.equal(cutsOf(deltas), "12:4,3;20:0");
});

test("reads every delta back from the whole text, for any cuts", () => {
  const anyText = fc
    .string({ unit: "binary", maxLength: 6 })
    .map((text) => text + "\u{1F600}".slice(0, text.length % 3));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyText, fc.integer({ min: 1, max: 3 })), { minLength: 1 }),
      (pieces) => {
        let seq = 0;
        const deltas = pieces.map(([delta, step]) => ({ seq: (seq += step), delta }));
        const text = deltas.map((each) => each.delta).join("");
        assert.deepEqual(decodeCuts(cutsOf(deltas), text), deltas);
      },
    ),
  );
});
