import assert from "node:assert/strict";
import { test } from "node:test";
import { readPropertySeed } from "./property-seed.ts";

test("without PROPERTY_SEED each run has the same seed", () => {
  assert.deepEqual(readPropertySeed(undefined), { status: "valid", seed: 1, isNew: false });
});

test("a number is the seed, so that a failure can be repeated", () => {
  for (const text of ["0", "7", "387548479", "2147483647"])
    assert.deepEqual(readPropertySeed(text), {
      status: "valid",
      seed: Number(text),
      isNew: false,
    });
});

test("random gives a new seed, which is valid itself", () => {
  const first = readPropertySeed("random");
  const second = readPropertySeed("random");
  assert.ok(first.status === "valid" && first.isNew);
  assert.ok(second.status === "valid" && second.seed !== first.seed);
  assert.equal(readPropertySeed(String(first.seed)).status, "valid");
});

test("any other value is rejected with the allowed values", () => {
  for (const text of ["", " ", "yes", "-1", "1.5", "1e3", "2147483648", "RANDOM"])
    assert.deepEqual(readPropertySeed(text), {
      status: "invalid",
      message: `PROPERTY_SEED must be "random" or a whole number from 0 to 2147483647 (got "${text}").`,
    });
});
