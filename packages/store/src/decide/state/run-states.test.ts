import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStatus } from "@capstan/contract";
import { type RunState, RunStates } from "./run-states.ts";

function stateOf(n: number, status: RunStatus): RunState {
  const names = { id: `run_${n}`, owner: "o", sessionId: "s", conversationId: null };
  const counts = { createdAt: 1, epoch: 1, edits: 0, answers: 0, lastSeq: 0, nth: 0, variables: 0 };
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

test("between two commits only runs in progress are cached", () => {
  const states = new RunStates("sqlite");
  states.set(stateOf(1, "in_progress"));
  states.set(stateOf(2, "requires_action"));
  states.set(stateOf(3, "completed"));
  states.commit();
  const cached = [1, 2, 3].filter((n) => states.get(`run_${n}`) !== undefined);
  assert.deepEqual(cached, [1]);
});

test("a cached run is evicted if its row differs, including its owner", () => {
  const states = new RunStates("sqlite");
  const known = stateOf(1, "requires_action");
  const ids = new Set(["run_1", "run_2"]);
  states.set(known);
  assert.deepEqual(states.evictStale(ids, [known]), new Set());
  assert.equal(states.get("run_1"), known);
  for (const change of [
    // The run was deleted, and another one created under its id.
    { n: 2 },
    { owner: "another" },
    { epoch: 2 },
    { status: "in_progress" },
    { edits: 1 },
    { answers: 1 },
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
