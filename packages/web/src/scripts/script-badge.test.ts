import assert from "node:assert/strict";
import { test } from "node:test";
import { scriptBadge } from "./script-badge.ts";

test("the badge shows the worst state of a file", () => {
  const said = (status: "live" | "stale" | "broken" | "unapproved", approval: "current" | "none") =>
    scriptBadge({ status, approval, editable: true }).label;
  assert.equal(said("broken", "current"), "broken");
  assert.equal(said("live", "none"), "needs approval every time");
  assert.equal(said("live", "current"), "approved");
});
