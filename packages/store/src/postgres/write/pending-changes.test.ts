import assert from "node:assert/strict";
import { test } from "node:test";
import { plainSql, plainStatement } from "../../testing/plain-statement.ts";
import { LaneChanges, PendingChanges } from "./pending-changes.ts";

const result = (run_n: number, text: string) => ({
  run_n,
  owner: "o",
  result: text,
  replay: null,
});

test("sends rows of a table in one statement, and a second row with the same key in another", () => {
  const pending = new PendingChanges();
  const changes = new LaneChanges(pending);
  changes.insert("run_results", result(1, "1"));
  changes.insert("run_results", result(2, "2"));
  changes.insert("run_results", result(1, "3"));
  const values = pending.flush().map((statement) => statement.values);
  assert.deepEqual(
    values.map(([runs, , results]) => [runs, results]),
    [
      [
        [1, 2],
        ["1", "2"],
      ],
      [[1], ["3"]],
    ],
  );
  assert.deepEqual(pending.flush(), []);
});

test("changes of a table keep their order; a statement that reads another table follows that table's changes", () => {
  const pending = new PendingChanges();
  const changes = new LaneChanges(pending);
  const end = plainSql("UPDATE runs SET status = 'completed' WHERE n = ?", { writes: ["runs"] });
  changes.insert("run_results", result(1, "1"));
  changes.run(plainSql("DELETE FROM run_results WHERE run_n = ?", { writes: ["run_results"] }), 1);
  changes.insert("run_results", result(1, "2"));
  changes.run(end, 1);
  changes.insert("run_results", result(2, "2"));
  changes.run(
    plainSql("DELETE FROM manifests WHERE digest NOT IN (SELECT manifest FROM runs)", {
      reads: ["runs"],
      writes: ["manifests"],
    }),
  );
  changes.run(end, 2);
  const sent = pending.flush().map(({ sql }) => sql.postgres.split(" ").slice(0, 3).join(" "));
  assert.deepEqual(sent, [
    "INSERT INTO run_results",
    "DELETE FROM run_results",
    "INSERT INTO run_results",
    "UPDATE runs SET",
    "DELETE FROM manifests",
    "UPDATE runs SET",
  ]);
});

test("changes a row twice in two statements, because the first change can affect the second", () => {
  const pending = new PendingChanges();
  const changes = new LaneChanges(pending);
  const answer = (id: string, status: string) =>
    changes.update("approvals", { id, status: "pending" }, { status });
  answer("a", "allowed");
  answer("b", "refused");
  answer("a", "refused");
  const text = `UPDATE approvals t SET status = given.g2
    FROM unnest(?::text[], ?::text[], ?::text[]) AS given (g0, g1, g2) WHERE t.id = given.g0 AND t.status = given.g1`;
  assert.deepEqual(
    pending.flush().map(({ sql, values }) => ({ text: sql.postgres.split(/\s+/), values })),
    [
      {
        text: text.split(/\s+/),
        values: [
          ["a", "b"],
          ["pending", "pending"],
          ["allowed", "refused"],
        ],
      },
      { text: text.split(/\s+/), values: [["a"], ["pending"], ["refused"]] },
    ],
  );
});

test("changes wait until a statement reads or writes their table", () => {
  const pending = new PendingChanges();
  const changes = new LaneChanges(pending);
  changes.insert("run_results", result(1, "1"));
  const reads = (table: "runs" | "run_results") => ({
    ...plainStatement("SELECT 1"),
    sql: plainSql("SELECT 1", { reads: [table] }),
  });
  assert.deepEqual(pending.flushBefore([reads("runs")]), []);
  assert.equal(pending.flushBefore([reads("runs"), reads("run_results")]).length, 1);
  assert.deepEqual(pending.flushBefore([reads("run_results")]), []);
});

test("sends changes of one kind together, even with other lanes' changes between them", () => {
  const pending = new PendingChanges();
  const [one, other, third] = [1, 2, 3].map(() => new LaneChanges(pending));
  const add = (lane: LaneChanges | undefined, run_n: number) =>
    lane?.insert("run_variables", { run_n, n: 1, owner: "o", changes: "[]" });
  add(one, 1);
  other?.remove("run_variables", { run_n: 2 });
  one?.remove("run_variables", { run_n: 1 });
  add(third, 3);
  pending.addBarrier();
  add(third, 4);
  const sent = pending.flush().map(({ sql, values }) => [sql.postgres.split(" ")[0], values[0]]);
  assert.deepEqual(sent, [
    ["INSERT", [1, 3]],
    ["DELETE", [2, 1]],
    ["INSERT", [4]],
  ]);
});
