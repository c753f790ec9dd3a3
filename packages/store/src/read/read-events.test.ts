import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { CommitEncoder } from "../encode/run-commit.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { RunEvent } from "@capstan/contract";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import type { RunJournalWrite, StoreWrite } from "../records/store-writes.ts";
import { delta, end, event, newRun, owner, start } from "../testing/store-fixtures.ts";
import { applyBatch } from "../sqlite/apply-batch.ts";
import { createWriteContext } from "../sqlite/create-write-context.ts";
import { readEventPage, readEventsCompact } from "./read-events.ts";

/** A database with a run of these commits, whose tail keeps all deltas. */
function databaseWith(...commits: readonly (readonly RunJournalWrite[])[]): SqliteConnection {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const { context } = createWriteContext(sql);
  const journals = commits.map((writes): StoreWrite => ({
    type: "journal",
    runId: "r",
    epoch: 1,
    writes,
  }));
  for (const write of [{ type: "create-run", run: newRun({ id: "r" }) } as const, ...journals])
    applyBatch(context, [new CommitEncoder().encode({ at: 1, writes: [write] })]);
  return sql;
}

test("a delta in both its row and the tail is read once, even by a reader beyond its end", () => {
  const sql = databaseWith([start("i"), delta("i", "a"), delta("i", "b")], [end("i", "ab")]);
  // The tail has both deltas, the second one as its second row.
  const items = [{ itemId: "i", heads: [{ seq: 3, n: 2 }] }];
  const query = { owner, runId: "r", position: { lastSeq: 3, items } };
  const page = sql.script(readEventPage({ now, ...query, after: 0, limit: 10 }));
  assert.deepEqual(
    page?.events.map((each) => [each.seq, each.type]),
    [
      [1, "item.start"],
      [2, "item.delta"],
      [3, "item.delta"],
    ],
  );
  const compact = sql.script(readEventsCompact(query));
  assert.deepEqual(compact?.events.at(-1), {
    seq: 3,
    type: "item.delta",
    itemId: "i",
    delta: "ab",
  });
});

test("a page can begin and end within rows of several events and in items that end much later", () => {
  const note = event({ type: "round.started", round: 1, at: 1 });
  const sql = databaseWith(
    [start("long"), delta("long", "one "), note, start("i"), delta("i", "a"), end("i", "a")],
    [
      delta("long", "two "),
      note,
      note,
      start("j"),
      delta("j", "b"),
      delta("j", "c"),
      end("j", "bc"),
    ],
    [note, delta("long", "three"), end("long", "one two three"), note],
  );
  const all = sql.script(readEventPage({ now, ...unbounded, after: 0, limit: 100 }))?.events ?? [];
  assert.deepEqual(
    all.map(({ seq }) => seq),
    Array.from({ length: 17 }, (_, n) => n + 1),
  );
  for (let after = 0; after < 17; after++)
    for (let limit = 1; limit < 17; limit++) {
      const page = sql.script(readEventPage({ now, ...unbounded, after, limit }));
      assert.deepEqual(page?.events, all.slice(after, after + limit));
      const more = sql.script(readEventPage({ now, ...unbounded, after, limit, size: 10_000 }));
      const given = more?.events ?? [];
      assert.ok(given.length >= page.events.length);
      assert.deepEqual(
        given,
        all.slice(after, after + given.length),
        "the following events have no gap",
      );
    }
});

test("all deltas of a long text are returned with the first ones, up to the published position", () => {
  const deltas = Array.from({ length: 1_000 }, (_, n) => delta("i", `${n} `));
  const text = Array.from({ length: 1_000 }, (_, n) => `${n} `).join("");
  const sql = databaseWith([start("i"), ...deltas], [end("i", text)]);
  const query = { owner, runId: "r", after: 0, limit: 10, size: 100 };
  for (const lastSeq of [1_002, 500]) {
    const position = { lastSeq, items: [] };
    const page = sql.script(readEventPage({ now, ...query, position }));
    assert.equal(page?.events.length, lastSeq);
    assert.equal(page.events.at(-1)?.seq, lastSeq);
    const exact = sql.script(
      readEventPage({ now, owner, runId: "r", after: 0, limit: 10, position }),
    );
    assert.equal(exact?.events.length, 10);
  }
});

const now = 1;

const unbounded = { owner, runId: "r", position: { lastSeq: 17, items: [] } };

// Contract: durability-7
test("limits the size of the rows that are read together, so one page never reads a whole long run", () => {
  const sql = databaseWith(
    ...Array.from({ length: 20 }, (_, n) => [end(`i${n}`, "x".repeat(100 * (n % 3)))]),
  );
  const range = { owner, runId: "r", position: { lastSeq: 20, items: [] }, limit: 20 };
  const all = sql.script(readEventPage({ now, ...range, after: 0 }))?.events ?? [];
  assert.equal(all.length, 20);
  for (const size of [1, 300, 1_000, 100_000]) {
    const seen: RunEvent[] = [];
    for (let full = true; full;) {
      const page = sql.script(readEventPage({ now, ...range, after: seen.length, size }));
      assert.ok(page !== undefined && page.events.length > 0);
      const text = page.events.map((each) => (each.type === "item.end" ? each.text : "")).join("");
      assert.ok(page.events.length === 1 || text.length <= size, `${text.length} at ${size}`);
      seen.push(...page.events);
      full = page.full && seen.length < 20;
    }
    assert.deepEqual(seen, all);
  }
});
