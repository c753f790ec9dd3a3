import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "@capstan/core";
import type { Store } from "@capstan/store";
import { callRecord, createRun, owner, withMemoryStore } from "@capstan/store/testing";
import { RunJournal } from "./run-journal.ts";

const waits = { approvals: "inline", servers: [], toolOutputs: "inline" } as const;

function journalOn(store: Store, epoch: number, onFenced: (reason: string) => void = () => {}) {
  const run = { id: "r", epoch, owner };
  const tells = { onGrant: () => {}, onDeadline: () => {}, onFenced };
  return new RunJournal({ store, grants: store, run, waits, written: [], ...tells });
}

const started = callRecord("c", { status: "started" });
const waiting: CallRecord = { ...started, status: "waiting" };
const ended: CallRecord = { ...waiting, status: "succeeded", endedAt: 3 };

test("the last write of a call is stored, also by a journal that did not start it", async () => {
  await withMemoryStore(async (store) => {
    await createRun(store, { id: "r" });
    const first = journalOn(store, 1);
    for (const call of [started, waiting]) await first.commit([{ type: "call", call }]);
    await store.write([{ type: "claim-run", runId: "r", epoch: 1 }]);
    const second = journalOn(store, 2);
    for (const call of [waiting, ended, ended]) await second.commit([{ type: "call", call }]);
    const [entry] = (await store.readCalls({ owner, runId: "r" })) ?? [];
    assert.deepEqual(entry?.call, JSON.parse(JSON.stringify(ended)));
  });
});

// Contract: durability-9
test("a run that was queued for other nodes while its chain executes here is fenced at once and is not suspended", async () => {
  await withMemoryStore(async (store) => {
    await createRun(store, { id: "r" });
    const told: string[] = [];
    const journal = journalOn(store, 1, (reason) => told.push(reason));
    // Another node declared this one dead, and had no free slot for its run.
    const [queued] = await store.write([
      { type: "set-status", runId: "r", status: "queued", epoch: 1 },
    ]);
    assert.deepEqual(queued, { status: "changed", previous: "in_progress", epoch: 2 });
    const { status } = await journal.commit([{ type: "call", call: started }]);
    assert.equal(status, "fenced");
    await journal.commit([{ type: "call", call: started }]);
    assert.deepEqual(told, ["Run r was claimed again: its epoch is 2, and this was written in 1."]);
    assert.deepEqual([journal.end.suspended, journal.end.ready], [false, false]);
    const [claimed] = await store.write([{ type: "claim-run", runId: "r", epoch: 2 }]);
    assert.equal(claimed.status, "claimed");
  });
});
