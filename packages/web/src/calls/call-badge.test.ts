import assert from "node:assert/strict";
import { test } from "node:test";
import { newCall, type CallState } from "../run/call-state.ts";
import { callBadge } from "./call-badge.ts";

const call = (more: Partial<CallState>): CallState => ({ ...newCall("c", "Tool"), ...more });

test("each outcome has its own label", () => {
  const outcomes = [
    "success",
    "error",
    "timed_out",
    "execution_rejected",
    "result_rejected",
    "not_found",
    "cancelled",
    "outcome_unknown",
  ] as const;
  const words = outcomes.map(
    (status) => callBadge(call({ phase: "settled", status }), false).label,
  );
  assert.equal(new Set(words).size, outcomes.length);
});

test("in an ended run, a started call without a result has an unknown outcome", () => {
  assert.equal(callBadge(call({ phase: "running", startedAt: 5 }), true).status, "outcome_unknown");
  assert.equal(callBadge(call({ phase: "asking" }), true).status, "cancelled");
  assert.equal(callBadge(call({ phase: "running", startedAt: 5 }), false).status, "running");
});

test("a call whose result needs review shows this, and then the decision", () => {
  assert.equal(callBadge(call({ phase: "reviewing", startedAt: 5 }), false).tone, "asking");
  const labelOf = (outcome: "released" | "redacted" | "replaced") =>
    callBadge(
      call({ phase: "settled", status: "success", reviewed: { outcome, by: "person" } }),
      false,
    ).label;
  assert.deepEqual(
    [labelOf("released"), labelOf("redacted"), labelOf("replaced")],
    ["done", "done, result redacted", "done, result replaced"],
  );
});
