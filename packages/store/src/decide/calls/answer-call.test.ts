import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import type { RunJournalWrite } from "../../records/store-writes.ts";
import { openForReading } from "../../sqlite/open-database.ts";
import { everyStore } from "../../testing/every-store.ts";
import {
  callRecord,
  commit,
  createRun,
  event,
  owner,
  withFileStore,
} from "../../testing/store-fixtures.ts";

const note = event({ type: "run.heartbeat", at: 1 });

everyStore(
  "a call with unknown outcome is answered once, with its copies, wherever they are stored",
  async (withStore) => {
    await withStore(async (store) => {
      const unknown = callRecord("c", { status: "outcome_unknown", startedAt: 1 });
      const write = (call: CallRecord): RunJournalWrite => ({ type: "call", call });
      for (const id of ["r", "copy", "own"]) await createRun(store, { id });
      const started = { ...unknown, status: "started" } as const;
      await commit(store, "r", [write(callRecord("before")), write(started)]);
      await commit(store, "r", [write(unknown), note]);
      await commit(store, "r", [write(callRecord("after"))]);
      await commit(store, "copy", [write(unknown)]);
      await commit(store, "own", [write({ ...unknown, idempotencyKey: "another" })]);
      const waiting = async () =>
        (await store.searchRuns({ owner, outcome: "unknown" })).data.map(({ id }) => id);
      assert.deepEqual(await waiting(), ["own", "copy", "r"]);
      const found = { answer: "happened", by: "ann", at: 5_000 } as const;
      const call = { ...unknown, found };
      const answer = () => store.write([{ type: "answer-call", owner, runId: "copy", call }]);
      assert.deepEqual(await answer(), [{ status: "answered", call }]);
      const [again] = await answer();
      assert.equal(again.status, "already_answered");
      const calls = async (runId: string) => (await store.readCalls({ owner, runId })) ?? [];
      assert.deepEqual(
        (await calls("r")).map((entry) => [entry.call.callId, entry.call.found]),
        [
          ["before", undefined],
          ["c", found],
          ["after", undefined],
        ],
      );
      assert.deepEqual(await calls("copy"), [{ runId: "copy", call, updatedAt: 5_000 }]);
      assert.equal((await calls("own"))[0]?.call.found, undefined);
      assert.deepEqual(await waiting(), ["own"]);
    });
  },
);

test("searches for open calls do not read a call whose outcome a user has reported", async () => {
  await withFileStore(async (store, dataDir) => {
    const unknown = callRecord("c", { status: "outcome_unknown", startedAt: 1 });
    for (const id of ["r", "copy"]) {
      await createRun(store, { id });
      await commit(store, id, [{ type: "call", call: unknown }]);
    }
    const sql = openForReading(join(dataDir, "capstan.db"));
    const open = () => sql.get<{ n: number }>("SELECT COUNT(*) AS n FROM answerable_calls")?.n;
    assert.equal(open(), 2);
    const call = { ...unknown, found: { answer: "happened", by: "ann", at: 5_000 } } as const;
    for (const runId of ["copy", "r"]) {
      const [outcome] = await store.write([{ type: "answer-call", owner, runId, call }]);
      assert.equal(outcome.status, runId === "copy" ? "answered" : "already_answered");
      assert.equal(open(), 0);
    }
    sql.close();
  });
});
