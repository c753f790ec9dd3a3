import assert from "node:assert/strict";
import { test } from "node:test";
import { messageBudget, outputLimit } from "./message-budget.ts";

const megabytes = (count: number) => ({ bytes: count * 1024 * 1024, values: 10 });

test("the answers to requests are read without delay, and other messages only up to a rate", () => {
  const budget = messageBudget();
  for (let n = 0; n < 3; n++) budget.onRequest();
  for (let n = 0; n < 3; n++) {
    assert.equal(budget.take(megabytes(16)), undefined);
    budget.onAnswer();
  }
  assert.equal(budget.take(megabytes(1)), undefined, "the first amount is not delayed");
  assert.ok(budget.take(megabytes(16)) instanceof Promise);
});

test("a request that was answered allows no further messages", () => {
  const budget = messageBudget();
  budget.onRequest();
  budget.onAnswer();
  budget.onAnswer();
  assert.ok(budget.take(megabytes(16)) instanceof Promise);
});

test("many small values cost as much as many bytes", () => {
  assert.equal(outputLimit().take({ bytes: 100_000, values: 10 }), undefined);
  assert.ok(outputLimit().take({ bytes: 100_000, values: 1_000_000 }) instanceof Promise);
});
