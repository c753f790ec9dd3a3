import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { createPipeline } from "./pipeline.ts";

test("what begins while the turn before commits holds once that is committed", async () => {
  const takeSlot = createPipeline();
  const one = takeSlot();
  await one.begin(async () => {});
  const two = takeSlot();
  const begun: number[] = [];
  let isThere = false;
  const beginning = two.begin(async () => begun.push(1)).then(() => (isThere = true));
  await endOfTurn();
  assert.deepEqual(begun, [1], "it does not wait to be sent");
  assert.equal(isThere, false, "it waits to be relied on");
  one.committed();
  one.end();
  await beginning;
  assert.deepEqual(begun, [1]);
});

test("what begins behind a turn that fails is answered before that goes on, and begins again when that is over", async () => {
  const takeSlot = createPipeline();
  const one = takeSlot();
  const two = takeSlot();
  const happened: string[] = [];
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();
  const answers = [first.promise, second.promise];
  const beginning = two.begin(async () => {
    happened.push("begins");
    return await answers.shift();
  });
  const failing = one.failed().then(() => happened.push("goes on"));
  await endOfTurn();
  assert.deepEqual(happened, ["begins"]);
  first.reject(new Error("the transaction before has failed"));
  await failing;
  await endOfTurn();
  assert.deepEqual(happened, ["begins", "goes on"]);
  one.end();
  second.resolve("begun");
  assert.equal(await beginning, "begun");
  assert.deepEqual(happened, ["begins", "goes on", "begins"]);
});

test("behind a turn that is over nothing is waited for", async () => {
  const takeSlot = createPipeline();
  const one = takeSlot();
  await one.failed();
  one.end();
  const begun: number[] = [];
  await takeSlot().begin(async () => begun.push(1));
  assert.deepEqual(begun, [1]);
});

test("what comes when the turn before has failed and is tried again does not begin between its tries", async () => {
  const takeSlot = createPipeline();
  const one = takeSlot();
  await one.failed();
  const begun: number[] = [];
  const beginning = takeSlot().begin(async () => begun.push(1));
  await endOfTurn();
  assert.deepEqual(begun, []);
  one.end();
  await beginning;
  assert.deepEqual(begun, [1]);
});
