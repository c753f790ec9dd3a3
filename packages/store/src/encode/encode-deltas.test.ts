import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunJournalWrite } from "../records/store-writes.ts";
import { delta, end, start } from "../testing/store-fixtures.ts";
import { encodeDeltas } from "./encode-deltas.ts";

const journal = (...writes: readonly RunJournalWrite[]) =>
  ({ type: "journal", runId: "r", epoch: 3, writes }) as const;

test("a journal that only adds to one item is its deltas", () => {
  assert.deepEqual(encodeDeltas(journal(delta("i", "a"), delta("i", ""))), {
    type: "deltas",
    runId: "r",
    epoch: 3,
    itemId: "i",
    deltas: ["a", ""],
  });
});

test("a journal that says anything else is not", () => {
  const others: readonly (readonly RunJournalWrite[])[] = [
    [],
    [start("i"), delta("i", "a")],
    [delta("i", "a"), end("i", "a")],
    [delta("i", "a"), delta("other", "b")],
    [delta("i", "a"), { type: "message", round: 1, message: { role: "user", content: "" } }],
  ];
  for (const writes of others) assert.equal(encodeDeltas(journal(...writes)), undefined);
  assert.equal(encodeDeltas({ ...journal(delta("i", "a")), status: "completed" }), undefined);
});
