import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStatus } from "@capstan/contract";
import { isClosing, runStatusOf, transition, transitions } from "./run-status.ts";

type From = RunStatus | "none";

const froms = Object.keys(transitions) as From[];
const statuses = froms.filter((status) => status !== "none");

test("from every status, every requested one leads to a legal status or to a refusal with a reason", () => {
  for (const from of froms) {
    for (const to of statuses) {
      const outcome = transition(from, to);
      if (transitions[from].includes(to)) assert.deepEqual(outcome, { status: "allowed" });
      else {
        assert.ok(outcome.status === "refused");
        assert.match(
          outcome.reason,
          new RegExp(`cannot become ${to}: (it may become|it has ended)`),
        );
      }
    }
  }
});

// Contract: durability-8
test("every status can reach a final status, which has no transitions", () => {
  for (const status of froms) {
    const reached = reachable(status);
    assert.ok(
      statuses.some((end) => isClosing(end) && reached.has(end)),
      status,
    );
  }
  assert.deepEqual(statuses.filter(isClosing), [
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "expired",
  ]);
  for (const end of statuses.filter(isClosing)) assert.deepEqual([...reachable(end)], [end]);
});

test("only a run in progress can end: other runs must be claimed first", () => {
  for (const status of ["queued", "requires_action"] as const)
    for (const end of statuses.filter(isClosing))
      assert.equal(transition(status, end).status, "refused");
});

/** The statuses that a run in this status can reach in any number of steps. */
function reachable(from: From): ReadonlySet<From> {
  const reached = new Set([from]);
  for (const status of reached) for (const next of transitions[status]) reached.add(next);
  return reached;
}

test("a chain's result determines the status of its run", () => {
  assert.equal(runStatusOf({ status: "completed" }), "completed");
  assert.equal(runStatusOf({ status: "completed", finishReason: "length" }), "incomplete");
  assert.equal(runStatusOf({ status: "requires_action" }), "requires_action");
  assert.equal(runStatusOf({ status: "aborted" }), "cancelled");
  assert.equal(runStatusOf({ status: "error" }), "failed");
  assert.equal(runStatusOf({ status: "timeout" }), "expired");
});
