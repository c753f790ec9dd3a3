import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStatus } from "@capstan/contract";
import { type RunState, RunStates } from "./run-states.ts";

function stateOf(n: number, status: RunStatus): RunState {
  const names = { id: `run_${n}`, owner: "o", sessionId: "s" };
  const counts = { epoch: 1, edits: 0, answers: 0, lastSeq: 0, nth: 0, variables: 0 };
  return {
    n,
    ...names,
    ...counts,
    status,
    changes: [],
    baseManifest: null,
    manifest: null,
    open: [],
  };
}

test("of runs that wait the last are kept, of those in progress all, of those that ended none", () => {
  const states = new RunStates("sqlite");
  const cached = () => {
    states.commit();
    return Array.from({ length: 400 }, (_, n) => n).filter((n) => states.get(`run_${n}`));
  };
  for (let n = 0; n < 200; n++) states.set(stateOf(n, "requires_action"));
  const last = Array.from({ length: 128 }, (_, index) => 72 + index);
  assert.deepEqual(cached(), last);
  states.set(stateOf(100, "in_progress"));
  states.set(stateOf(101, "completed"));
  for (let n = 200; n < 400; n++) states.set(stateOf(n, "requires_action"));
  assert.deepEqual(cached(), [100, ...last.map((n) => n + 200)]);
});

test("what is known of a run is forgotten where its row says something else, its owner too", () => {
  const states = new RunStates("sqlite");
  const known = stateOf(1, "requires_action");
  const ids = new Set(["run_1", "run_2"]);
  states.set(known);
  assert.deepEqual(states.evictStale(ids, [known]), new Set());
  assert.equal(states.get("run_1"), known);
  for (const change of [
    // It was deleted, and another made under its id.
    { n: 2 },
    { owner: "another" },
    { epoch: 2 },
    { status: "in_progress" },
    { edits: 1 },
    { answers: 1 },
    { lastSeq: 1 },
  ] as const) {
    states.set(known);
    assert.deepEqual(states.evictStale(ids, [{ ...known, ...change }]), new Set(["run_1"]));
    assert.equal(states.get("run_1"), undefined, JSON.stringify(change));
  }
  states.set(known);
  // Its row is gone: there is nothing to read.
  assert.deepEqual(states.evictStale(ids, []), new Set());
  assert.equal(states.get("run_1"), undefined);
});
