import assert from "node:assert/strict";
import { test } from "node:test";
import { withArgsDigest } from "./approval.ts";

test("a digest is worked out when it is looked at, and goes where the other members go", () => {
  let asked = 0;
  const question = withArgsDigest({ id: "a" }, () => `digest ${++asked}`);
  assert.equal(asked, 0);
  assert.equal(question.argsDigest, "digest 1");
  assert.deepEqual({ ...question }, { id: "a", argsDigest: "digest 2" });
  assert.equal(JSON.stringify(question), '{"id":"a","argsDigest":"digest 3"}');
  assert.equal(asked, 3);
});

test("all that is asked shares one getter", () => {
  const [one, other] = ["a", "b"].map((of) => withArgsDigest({}, () => of));
  const memberOf = (of: object | undefined) => Object.getOwnPropertyDescriptor(of, "argsDigest");
  assert.deepEqual(memberOf(one), memberOf(other));
  assert.deepEqual([one?.argsDigest, other?.argsDigest], ["a", "b"]);
});
