import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import fc from "fast-check";
import { CommitEncoder } from "../encode/run-commit.ts";
import { migrate } from "./migrate.ts";
import { readEventPage, readEventsCompact } from "../read/read-events.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import type { RunJournalWrite, StoreWrite } from "../records/store-writes.ts";
import { delta, end, newRun, owner, resultOf, start } from "../testing/store-fixtures.ts";
import { applyBatch } from "./apply-batch.ts";
import { type SqliteWriteContext, createWriteContext } from "./create-write-context.ts";

/** More deltas than one step removes. */
const many = 2_500;

function database(): SqliteConnection {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  return sql;
}

function write(context: SqliteWriteContext, runId: string, writes: readonly RunJournalWrite[]) {
  const journal: StoreWrite = { type: "journal", runId, epoch: 1, writes };
  const [result] = applyBatch(context, [new CommitEncoder().encode({ at: 1, writes: [journal] })]);
  return result;
}

/** A run with a long item that has ended, with all its deltas still in the tail. */
function ended(sql: SqliteConnection, context: SqliteWriteContext, runId: string): void {
  applyBatch(context, [{ at: 1, writes: [{ type: "create-run", run: newRun({ id: runId }) }] }]);
  write(context, runId, [start("t")]);
  for (let n = 0; n < many; n++) write(context, runId, [delta("t", "a")]);
  assert.equal(rows(sql), many);
  write(context, runId, [end("t", "a".repeat(many))]);
}

function rows(sql: SqliteConnection): number | undefined {
  return sql.get<{ rows: number }>("SELECT COUNT(*) AS rows FROM tail")?.rows;
}

test("the deltas of an ended item are removed from the tail a few at a time", () => {
  const sql = database();
  const { context } = createWriteContext(sql);
  ended(sql, context, "r");
  assert.equal(rows(sql), many, "not in the commit that ends it");
  const left: (number | undefined)[] = [];
  while (context.trim.pending) {
    context.trim.removeBatch(sql);
    left.push(rows(sql));
  }
  assert.deepEqual(left, [1_500, 500, 0]);
});

const items = ["a", "b"].flatMap((runId) => ["x", "y"].map((itemId) => ({ runId, itemId })));
type Item = (typeof items)[number];
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("delta"), to: fc.constantFrom(...items) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end"), to: fc.constantFrom(...items) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("trim", "crash") }) },
);

test("unfinished items keep every delta, whatever ends between them, and few rows of ended items stay", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const sql = database();
      let { context } = createWriteContext(sql);
      for (const id of ["a", "b"])
        applyBatch(context, [{ at: 1, writes: [{ type: "create-run", run: newRun({ id }) }] }]);
      /** Each with the number of earlier deltas of its run. */
      const open = new Map<Item, { id: string; before: number; text: string }>();
      const count = new Map<string, number>();
      const ended: string[] = [];
      const finish = (item: Item) => {
        const { id, text } = open.get(item) ?? {};
        if (id === undefined || text === undefined) return;
        open.delete(item);
        write(context, item.runId, [end(id, text)]);
        ended.push(text);
      };
      for (const [index, each] of steps.entries()) {
        if (each.do === "crash") ({ context } = createWriteContext(sql));
        else if (!("to" in each)) while (context.trim.pending) context.trim.removeBatch(sql);
        else if (each.do === "end") finish(each.to);
        else {
          const { runId, itemId } = each.to;
          const before = count.get(runId) ?? 0;
          count.set(runId, before + 1);
          const item = open.get(each.to) ?? { id: `${itemId}${index}`, before, text: "" };
          const text = `${index};`;
          open.set(each.to, { ...item, text: item.text + text });
          write(context, runId, [delta(item.id, text)]);
        }
      }
      while (context.trim.pending) context.trim.removeBatch(sql);
      let stay = 0;
      for (const [runId, all] of count) {
        const ofRun = [...open].filter(([item]) => item.runId === runId);
        stay += all - Math.min(all, ...ofRun.map(([, { before }]) => before));
      }
      assert.ok((rows(sql) ?? 0) <= 2 * stay);
      // Items are read from the tail as they end: nothing is cached.
      ({ context } = createWriteContext(sql));
      for (const item of items) finish(item);
      while (context.trim.pending) context.trim.removeBatch(sql);
      assert.equal(rows(sql), 0);
      const whole = sql.all<{ text: string }>(
        "SELECT json_extract(events, '$.text') AS text FROM run_journal WHERE type = 'item.end' AND from_seq IS NOT NULL",
      );
      assert.deepEqual(whole.map(({ text }) => text).toSorted(), ended.toSorted());
    }),
    { numRuns: 100 },
  );
});

for (const steps of [0, 1]) {
  test(`rows that a crash leaves of an ended item do not make it unfinished, after ${steps} steps of removal`, () => {
    const sql = database();
    const before = createWriteContext(sql).context;
    ended(sql, before, "r");
    write(before, "r", [start("u"), delta("u", "b")]);
    for (let n = 0; n < steps; n++) before.trim.removeBatch(sql);
    const { context, recoveredRuns } = createWriteContext(sql);
    assert.deepEqual(
      recoveredRuns.map(({ runId, items }) => [runId, items.map(({ itemId }) => itemId)]),
      [["r", ["u"]]],
    );
    while (context.trim.pending) context.trim.removeBatch(sql);
    assert.equal(rows(sql), 1, "only the unfinished item has rows in the tail");
  });
}

test("a reader behind the end of an item reads each delta once, whichever of its rows remain in the tail", () => {
  const sql = database();
  const { context } = createWriteContext(sql);
  ended(sql, context, "r");
  const newest = sql.get<{ n: number }>("SELECT MAX(n) AS n FROM tail")?.n ?? 0;
  const seq = many + 1;
  for (;;) {
    const position = {
      lastSeq: seq,
      items: [{ itemId: "t", heads: [{ seq, n: newest }] }],
    };
    const of = { owner, runId: "r", position };
    const page = sql.script(readEventPage({ now: 1, ...of, after: 0, limit: 10_000 }));
    assert.deepEqual(
      page?.events.map((event) => event.seq),
      Array.from({ length: seq }, (_, n) => n + 1),
    );
    const compact = sql.script(readEventsCompact(of));
    assert.deepEqual(
      compact?.events.map((event) => event.type === "item.delta" && event.delta.length),
      [false, many],
    );
    if (!context.trim.pending) return;
    context.trim.removeBatch(sql);
  }
});

test("an item whose end was rolled back keeps its deltas", () => {
  const sql = database();
  const { context } = createWriteContext(sql);
  ended(sql, context, "r");
  write(context, "r", [start("u")]);
  write(context, "r", [delta("u", "b")]);
  while (context.trim.pending) context.trim.removeBatch(sql);
  const journal: StoreWrite = { type: "journal", runId: "r", epoch: 1, writes: [end("u", "b")] };
  const refused: StoreWrite = { type: "claim-run", runId: "unknown" };
  const [result] = applyBatch(context, [
    new CommitEncoder().encode({ at: 1, writes: [journal, refused] }),
  ]);
  assert.ok(result !== undefined && "outcomes" in result);
  assert.deepEqual(
    result.outcomes.map(({ status }) => status),
    ["skipped", "not_found"],
  );
  assert.equal(context.trim.isEmpty, true);
  assert.equal(rows(sql), 1);
});

test("the tail rows of a forgotten run do not become those of the next run with its number", () => {
  const sql = database();
  const before = createWriteContext(sql).context;
  ended(sql, before, "r");
  write(before, "r", [resultOf("completed")]);
  const start = { type: "session", id: "r" } as const;
  const results = applyBatch(before, [
    { at: 2, writes: [{ type: "forget-lineage", owner, start, before: 2 }] },
    { at: 2, writes: [{ type: "collect-forgotten", rows: 1_000, bytes: 1_000_000 }] },
  ]);
  assert.ok(results.every((result) => "outcomes" in result));
  // As after a crash.
  applyBatch(createWriteContext(sql).context, [
    { at: 3, writes: [{ type: "create-run", run: newRun({ id: "next" }) }] },
  ]);
  assert.equal(sql.get<{ n: number }>("SELECT n FROM runs WHERE id = 'next'")?.n, 1);
  assert.deepEqual(createWriteContext(sql).recoveredRuns, []);
});

test("a deleted run has no rows in the tail", () => {
  const sql = database();
  const { context } = createWriteContext(sql);
  ended(sql, context, "r");
  const writes = [resultOf("completed")];
  const results = applyBatch(context, [
    new CommitEncoder().encode({
      at: 1,
      writes: [{ type: "journal", runId: "r", epoch: 1, writes }],
    }),
    { at: 1, writes: [{ type: "delete-run", owner, id: "r" }] },
  ]);
  assert.ok(results.every((result) => "outcomes" in result));
  assert.equal(rows(sql), 0);
  context.trim.removeBatch(sql);
  assert.equal(context.trim.isEmpty, true);
});
