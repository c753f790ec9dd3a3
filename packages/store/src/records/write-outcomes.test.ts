import assert from "node:assert/strict";
import { test } from "node:test";
import { isAccepted, type WriteOutcome } from "./write-outcomes.ts";

const rejected: readonly WriteOutcome["status"][] = [
  "refused",
  "not_found",
  "stale",
  "taken",
  "skipped",
  "fenced",
  "conflict",
  "already_answered",
  "known",
  "missing_file",
];

test("a write that changed nothing is not accepted, and a status change is", () => {
  for (const status of rejected) assert.equal(isAccepted({ status }), false, status);
  for (const status of ["changed", "claimed", "created", "committed"] as const)
    assert.equal(isAccepted({ status }), true, status);
});

test("an outcome without an entry in the table does not compile", () => {
  // @ts-expect-error -- `isAccepted` takes only the statuses of the table
  assert.equal(isAccepted({ status: "a_new_outcome" }), undefined);
});
