import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RunStatus } from "../contract/run.ts";
import { isClosing, runStatusOf, transition, transitions } from "./run-status.ts";

const statuses = Object.keys(transitions) as RunStatus[];
const anyStatus = fc.constantFrom(...statuses);

test("from every status, every wish leads to a legal status or to a refusal that says why", () => {
  fc.assert(
    fc.property(anyStatus, fc.array(anyStatus, { maxLength: 20 }), (first, wishes) => {
      let status = first;
      let closings = isClosing(first) ? 1 : 0;
      for (const wish of wishes) {
        const outcome = transition(status, wish);
        if (outcome.status === "refused") {
          assert.match(outcome.reason, new RegExp(`${status} cannot become ${wish}`));
          continue;
        }
        assert.ok(!isClosing(status), "nothing comes after the end");
        status = wish;
        if (isClosing(status)) closings += 1;
      }
      assert.ok(closings <= 1);
    }),
  );
});

test("every status that is not for good can reach one that is", () => {
  for (const status of statuses)
    assert.ok(isClosing(status) || transitions[status].some(isClosing), status);
  assert.deepEqual(statuses.filter(isClosing), [
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "expired",
  ]);
});

test("a run that waits or is queued cannot end as completed without running", () => {
  for (const status of ["queued", "requires_action"] as const) {
    assert.equal(transition(status, "completed").status, "refused");
    assert.equal(transition(status, "incomplete").status, "refused");
  }
});

test("a chain's result says what its run becomes", () => {
  assert.equal(runStatusOf({ status: "completed" }), "completed");
  assert.equal(runStatusOf({ status: "completed", finishReason: "length" }), "incomplete");
  assert.equal(runStatusOf({ status: "requires_action" }), "requires_action");
  assert.equal(runStatusOf({ status: "aborted" }), "cancelled");
  assert.equal(runStatusOf({ status: "error" }), "failed");
  assert.equal(runStatusOf({ status: "timeout" }), "expired");
});
