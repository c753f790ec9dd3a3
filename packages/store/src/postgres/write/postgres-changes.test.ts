import assert from "node:assert/strict";
import { test } from "node:test";
import { plainSql } from "../../testing/plain-statement.ts";
import { BatchChanges, CallChanges } from "./postgres-changes.ts";

test("rows of a table go over in one statement, and those of one key as its last", () => {
  const changes = new CallChanges();
  changes.insert("run_results", { run_n: 1, owner: "o", result: "1", replay: null });
  changes.insert("run_results", { run_n: 2, owner: "o", result: "2", replay: null });
  changes.insert("run_results", { run_n: 1, owner: "o", result: "3", replay: null });
  const batch = new BatchChanges();
  assert.deepEqual(batch.add(changes.list), []);
  const statements = batch.flush();
  assert.equal(statements.length, 1);
  const [runs, , results] = statements[0]?.values ?? [];
  assert.deepEqual(
    [runs, results],
    [
      [1, 2],
      ["3", "2"],
    ],
  );
  assert.deepEqual(batch.flush(), []);
});

test("within a table the order stays; a statement that reads another table goes after it", () => {
  const changes = new CallChanges();
  changes.insert("run_results", { run_n: 1, owner: "o", result: "1", replay: null });
  changes.run(plainSql("DELETE FROM run_results WHERE run_n = ?", { writes: ["run_results"] }), 1);
  changes.insert("run_results", { run_n: 1, owner: "o", result: "2", replay: null });
  changes.run(
    plainSql("UPDATE runs SET status = 'completed' WHERE n = ?", { writes: ["runs"] }),
    1,
  );
  changes.run(
    plainSql("DELETE FROM manifests WHERE digest NOT IN (SELECT manifest FROM runs)", {
      reads: ["runs"],
      writes: ["manifests"],
    }),
  );
  const sent = new BatchChanges()
    .add(changes.list)
    .map(({ sql }) => sql.postgres.split(" ").slice(0, 3).join(" "));
  assert.deepEqual(sent, [
    "INSERT INTO run_results",
    "DELETE FROM run_results",
    "INSERT INTO run_results",
    "UPDATE runs SET",
    "DELETE FROM manifests",
  ]);
});
