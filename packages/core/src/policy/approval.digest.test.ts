import assert from "node:assert/strict";
import { test } from "node:test";
import { withArgsDigest } from "./approval.ts";

test("a digest is computed on first read, and copied like the other properties", () => {
  let asked = 0;
  const question = withArgsDigest({ id: "a" }, () => `digest ${++asked}`);
  assert.equal(asked, 0);
  assert.equal(question.argsDigest, "digest 1");
  assert.deepEqual({ ...question }, { id: "a", argsDigest: "digest 2" });
  assert.equal(JSON.stringify(question), '{"id":"a","argsDigest":"digest 3"}');
  assert.equal(asked, 3);
});
