import assert from "node:assert/strict";
import { test } from "node:test";
import type { LockRequest, Ticket } from "./locks.ts";
import { Scheduler } from "./scheduler.ts";

const keys = (...names: string[]): LockRequest => ({ exclusive: false, keys: names });
const all: LockRequest = { exclusive: true, keys: [] };

/** The running calls, in the order in which they began. */
function schedule(atOnce = 8) {
  const scheduler = new Scheduler(atOnce);
  const running: string[] = [];
  const tryEnter = (name: string, request: LockRequest, parent?: Ticket) =>
    scheduler.enter(request, {
      start: () => void running.push(name),
      ...(parent !== undefined && { parent }),
    });
  const enter = (name: string, request: LockRequest, parent?: Ticket) => {
    const ticket = tryEnter(name, request, parent);
    assert.ok(ticket !== undefined, `${name} was not queued`);
    return ticket;
  };
  return { leave: (ticket: Ticket) => scheduler.leave(ticket), running, enter, tryEnter };
}

// Contract: executor-19, plugins-63
test("calls without conflicts run in parallel, up to the limit; further calls run in order", () => {
  const { leave, running, enter } = schedule(2);
  const [a] = ["a", "b", "c", "d"].map((name) => enter(name, keys()));
  assert.deepEqual(running, ["a", "b"]);
  leave(a!);
  assert.deepEqual(running, ["a", "b", "c"]);
  leave(a!);
  assert.deepEqual(running, ["a", "b", "c"], "leaving twice changes nothing");
});

// Contract: executor-19
test("an exclusive call waits for all others, and all later calls wait for it", () => {
  const { leave, running, enter } = schedule();
  const a = enter("a", keys());
  const barrier = enter("all", all);
  enter("b", keys());
  assert.deepEqual(running, ["a"]);
  leave(a);
  assert.deepEqual(running, ["a", "all"]);
  leave(barrier);
  assert.deepEqual(running, ["a", "all", "b"]);
});

test("a call that leaves the queue lets the others run", () => {
  const { leave, running, enter } = schedule();
  enter("a", keys());
  const barrier = enter("all", all);
  enter("b", keys());
  leave(barrier);
  assert.deepEqual(running, ["a", "b"]);
});

test("a call that leaves while another one starts does not start", () => {
  const scheduler = new Scheduler(8);
  const running: string[] = [];
  const barrier = scheduler.enter(all, { start: () => void running.push("all") })!;
  scheduler.enter(keys(), {
    start: () => {
      running.push("a");
      scheduler.leave(b);
    },
  });
  const b = scheduler.enter(keys(), { start: () => void running.push("b") })!;
  scheduler.enter(keys(), { start: () => void running.push("c") });
  scheduler.leave(barrier);
  assert.deepEqual(running, ["all", "a", "c"]);
});

test("a call that does not conflict with a waiting call runs", () => {
  const { running, enter } = schedule();
  enter("writer", keys("x"));
  enter("next writer", keys("x"));
  enter("reader", keys());
  assert.deepEqual(running, ["writer", "reader"]);
});

test("a sub-call ignores exclusive calls and full slots that wait for its parent", () => {
  const { leave, running, enter } = schedule(2);
  const parent = enter("parent", keys());
  const writer = enter("writer", keys("x"));
  enter("all", all);
  enter("next writer", keys("x"));
  enter("sub", keys("x"), parent);
  assert.deepEqual(running, ["parent", "writer"]);
  leave(writer);
  assert.deepEqual(running, ["parent", "writer", "sub"]);
});

test("an exclusive sub-call waits for all calls except its ancestors", () => {
  const { leave, running, enter } = schedule();
  const parent = enter("parent", keys("x"));
  const other = enter("other", keys());
  enter("alone", all, parent);
  enter("later", keys());
  assert.deepEqual(running, ["parent", "other"]);
  leave(other);
  assert.deepEqual(running, ["parent", "other", "alone"]);
});

// Contract: plugins-70
test("a sub-call that would deadlock because it waits for every holder of a limit is rejected", () => {
  const { running, enter, tryEnter } = schedule();
  const capped: LockRequest = { exclusive: false, keys: [], cap: { key: "two", limit: 2 } };
  const top = enter("top", keys());
  const [a, b] = ["a", "b"].map((name) => enter(name, capped, top));
  const holder = enter("holds x", keys("x"), top);
  enter("b wants x", keys("x"), b);
  enter("wants a place", capped, holder);
  assert.equal(tryEnter("a wants x", keys("x"), a), undefined, "else no slot ever becomes free");
  assert.deepEqual(running, ["top", "a", "b", "holds x"]);
});

// Contract: plugins-70
test("a sub-call that would deadlock is rejected", () => {
  const { leave, running, enter, tryEnter } = schedule();
  const [a, b, c] = ["x", "y", "z"].map((key) => enter(`holds ${key}`, keys(key)));
  const a1 = enter("a wants y", keys("y"), a);
  const b1 = enter("in b", keys(), b);
  const b2 = enter("b wants z", keys("z"), b1);
  assert.equal(tryEnter("c wants x", keys("x"), c), undefined);
  assert.deepEqual([a1.status, b2.status], ["waiting", "waiting"]);
  for (const ticket of [b2, b1, b!]) leave(ticket);
  assert.ok(running.includes("a wants y"));
  assert.equal(enter("c wants x", keys("x"), c).status, "waiting", "that may end now");
});
