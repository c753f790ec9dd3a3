import assert from "node:assert/strict";
import { test } from "node:test";
import { type Claim, type Claimant, Scheduler } from "./scheduler.ts";

const call = (...keys: string[]) => claimIn(undefined, ...keys);

function claimIn(parent: Claimant | undefined, ...keys: string[]) {
  const by: Claimant = { parent };
  return { by, claim: { type: "keys", keys, by } satisfies Claim };
}

/** Who runs, in the order in which they began. */
function schedule(atOnce = 8) {
  const scheduler = new Scheduler(atOnce);
  const running: string[] = [];
  const enter = (name: string, claim: Claim) =>
    scheduler.enter(claim, () => void running.push(name));
  return { scheduler, running, enter };
}

test("what excludes nothing runs at once, up to the cap; the rest in order", () => {
  const { scheduler, running, enter } = schedule(2);
  const a = call();
  for (const name of ["a", "b", "c", "d"]) enter(name, name === "a" ? a.claim : call().claim);
  assert.deepEqual(running, ["a", "b"]);
  scheduler.release(a.claim);
  assert.deepEqual(running, ["a", "b", "c"]);
});

test("a barrier waits for all, and all wait for it", () => {
  const { scheduler, running, enter } = schedule();
  const a = call();
  enter("a", a.claim);
  enter("all", { type: "all" });
  enter("b", call().claim);
  assert.deepEqual(running, ["a"]);
  scheduler.release(a.claim);
  assert.deepEqual(running, ["a", "all"]);
  scheduler.release({ type: "all" });
  assert.deepEqual(running, ["a", "all", "b"]);
});

test("who leaves the queue lets the others through", () => {
  const { running, enter } = schedule();
  enter("a", call().claim);
  const leave = enter("all", { type: "all" });
  enter("b", call().claim);
  leave();
  assert.deepEqual(running, ["a", "b"]);
});

test("a sub-call waits for no barrier and no slot that waits for its parent", () => {
  const { scheduler, running, enter } = schedule(2);
  const parent = call();
  const writer = call("x");
  enter("parent", parent.claim);
  enter("writer", writer.claim);
  enter("all", { type: "all" });
  enter("next writer", call("x").claim);
  enter("sub", claimIn(parent.by, "x").claim);
  assert.deepEqual(running, ["parent", "writer"]);
  scheduler.release(writer.claim);
  assert.deepEqual(running, ["parent", "writer", "sub"]);
});

test("a sub-call that would wait in a circle is found before it waits", () => {
  const { scheduler, running, enter } = schedule();
  const a = call("x");
  const b = call("y");
  const c = call("z");
  for (const [name, { claim }] of Object.entries({ a, b, c })) enter(name, claim);
  const fromA = claimIn(a.by, "y");
  assert.equal(scheduler.wouldDeadlock(fromA.claim), false);
  enter("a1", fromA.claim);
  const fromB = claimIn(claimIn(b.by).by, "z");
  assert.equal(scheduler.wouldDeadlock(fromB.claim), false);
  enter("b1", fromB.claim);
  assert.equal(scheduler.wouldDeadlock(claimIn(c.by, "x").claim), true);
  assert.equal(scheduler.wouldDeadlock(call("x").claim), false);
  scheduler.release(b.claim);
  assert.deepEqual(running, ["a", "b", "c", "a1"]);
  assert.equal(scheduler.wouldDeadlock(claimIn(c.by, "x").claim), false);
});
