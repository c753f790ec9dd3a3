import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { eventsIn, type EventsRow } from "./event-layout.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { readManifestEntries } from "./manifest.ts";
import { Sql } from "./sql.ts";
import { variableOf } from "./testing/store-fixtures.ts";

/** A database as it was after a step, brought up to date once something is in it. */
function from(version: number, fill: (sql: Sql) => void): Sql {
  const sql = new Sql(new DatabaseSync(":memory:"));
  const then = migrations.filter((step) => step.version <= version);
  migrate(sql, 0, then);
  fill(sql);
  migrate(sql, 0);
  return sql;
}

test("step 10 keeps what a run that goes on has changed of its variables", () => {
  const { value: _value, ...info } = variableOf('odd "name"\0', "text");
  const sql = from(9, (old) => {
    const keep = (n: number, name: string, entry: unknown) =>
      old.run(
        "INSERT INTO run_variables VALUES (1, ?, 'local', ?, ?)",
        n,
        name,
        entry === null ? null : JSON.stringify(entry),
      );
    keep(1, info.name, { ...info, digest: "d" });
    keep(2, "gone", { ...info, name: "gone", type: "USER_ADD", digest: "e" });
    keep(3, "gone", null);
    keep(4, info.name, { evicted: true });
  });
  const run = { n: 1, session_id: "s", base_manifest: null, manifest: null };
  const entries = sql.script(readManifestEntries(run));
  assert.deepEqual([...entries], [[info.name, { ...info, digest: "d", evicted: true }]]);
});

test("step 13 keeps the events of a commit under their numbers", () => {
  const note = (n: number) => ({ type: "round.started", round: n, at: 1 });
  const sql = from(12, (old) => {
    const row = (seq: number, type: string, rest: [number | null, string | null, unknown]) =>
      old.run(
        "INSERT INTO run_events VALUES (1, ?, 'local', ?, ?, ?, ?)",
        seq,
        type,
        rest[0],
        rest[1],
        JSON.stringify(rest[2]),
      );
    row(2, "events", [1, null, { seqs: [1, 2], events: [note(1), note(2)] }]);
    row(5, "item.end", [4, "4:1", { type: "item.end", itemId: "a", text: "x" }]);
    row(9, "events", [3, null, { seqs: [3, 6, 7, 9], events: [3, 6, 7, 9].map(note) }]);
  });
  const rows = sql.all<EventsRow & { type: string; from_seq: number | null }>(
    "SELECT seq, type, from_seq, cuts, events FROM run_journal ORDER BY seq",
  );
  const [first, item, second] = rows;
  assert.deepEqual([item?.from_seq, item?.cuts], [4, "4:1"]);
  assert.deepEqual([first?.from_seq, second?.from_seq], [null, null]);
  const numbers = [first!, second!].map((row) =>
    eventsIn(row).map(({ seq, ...rest }) => [seq, rest]),
  );
  assert.deepEqual(
    numbers,
    [
      [1, 2],
      [3, 6, 7, 9],
    ].map((seqs) => seqs.map((seq) => [seq, note(seq)])),
  );
});
