import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import type { LockRequest, Ticket } from "./locks.ts";
import { Scheduler, type SubCallHandle } from "./scheduler.ts";

const claims: fc.Arbitrary<LockRequest> = fc.record(
  {
    exclusive: fc.boolean(),
    keys: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 2 }),
    cap: fc.constantFrom({ key: "one", limit: 1 }, { key: "two", limit: 2 }),
  },
  { requiredKeys: ["exclusive", "keys"] },
);
/** Exclusive requests are rare: they block all others. */
const mixed = fc.oneof(
  {
    weight: 6,
    arbitrary: claims.map((request): LockRequest => ({ ...request, exclusive: false })),
  },
  { weight: 1, arbitrary: claims },
);
type Step =
  | { readonly type: "enter"; readonly request: LockRequest }
  /** Makes a sub-call of the running call with this number, modulo the number of running calls. */
  | { readonly type: "sub"; readonly of: number; readonly request: LockRequest }
  /** A running call that waits for no sub-call ends. */
  | { readonly type: "end"; readonly which: number }
  /** A waiting call is withdrawn. */
  | { readonly type: "give-up"; readonly which: number }
  /** A sub-call of a running call waits for a user before it enters. */
  | { readonly type: "ask"; readonly of: number; readonly request: LockRequest }
  /** An approval request is answered: the sub-call continues, or ends. */
  | { readonly type: "answer"; readonly which: number; readonly allows: boolean };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("enter" as const), request: mixed }),
  fc.record({ type: fc.constant("sub" as const), of: fc.nat(20), request: mixed }),
  fc.record({ type: fc.constant("end" as const), which: fc.nat(20) }),
  fc.record({ type: fc.constant("give-up" as const), which: fc.nat(20) }),
  fc.record({ type: fc.constant("ask" as const), of: fc.nat(20), request: mixed }),
  fc.record({
    type: fc.constant("answer" as const),
    which: fc.nat(20),
    allows: fc.boolean(),
  }),
);

/** Actions of calls that make sub-calls, and so can wait for one another. */
const growing = step.filter(({ type }) => ["enter", "sub", "ask"].includes(type));

/** A sub-call that its parent counts, from its creation to its end. */
interface Sub {
  readonly parent: Ticket;
  readonly request: LockRequest;
  readonly place: SubCallHandle;
  status: "asks" | "comes back" | "entered" | "over";
  ticket: Ticket | undefined;
}

/** A scheduler, and a model of its expected state. */
class Watched {
  readonly scheduler: Scheduler;
  readonly entered: Ticket[] = [];
  readonly subs: Sub[] = [];
  refused = 0;

  constructor(atOnce: number) {
    this.scheduler = new Scheduler(atOnce);
  }

  enter(request: LockRequest, parent?: Ticket): Ticket | undefined {
    const ticket = this.scheduler.enter(request, {
      start: () => {},
      ...(parent !== undefined && { parent }),
    });
    if (ticket === undefined) this.refused++;
    else this.entered.push(ticket);
    return ticket;
  }

  sub(request: LockRequest, parent: Ticket): Sub {
    const place = this.scheduler.openSubCall(parent);
    const sub: Sub = { parent, request, place, status: "comes back", ticket: undefined };
    this.subs.push(sub);
    return sub;
  }

  ask(request: LockRequest, parent: Ticket): void {
    const sub = this.sub(request, parent);
    sub.status = "asks";
    sub.place.wait();
  }

  answer(sub: Sub, allows: boolean): void {
    sub.status = "comes back";
    const back = sub.place.resume();
    const then = () => (allows ? this.start(sub) : this.close(sub));
    if (back === undefined) then();
    else this.resuming.set(sub, then);
  }

  /** The actions that resuming sub-calls run after they have resumed. */
  readonly resuming = new Map<Sub, () => void>();

  /** Runs the actions in the order of promises, but synchronously. */
  come(): void {
    for (const [sub, then] of this.resuming) {
      if (sub.parent.root.status === "suspended") continue;
      this.resuming.delete(sub);
      then();
    }
  }

  start(sub: Sub): void {
    sub.status = "entered";
    sub.ticket = this.enter(sub.request, sub.parent);
    if (sub.ticket === undefined) this.close(sub);
  }

  close(sub: Sub): void {
    sub.status = "over";
    sub.place.close();
  }

  leave(ticket: Ticket): void {
    this.scheduler.leave(ticket);
    const sub = this.subs.find((one) => one.ticket === ticket);
    if (sub !== undefined) this.close(sub);
  }

  open(parent: Ticket): Sub[] {
    return this.subs.filter((sub) => sub.parent === parent && sub.status !== "over");
  }

  running(): Ticket[] {
    return this.entered.filter(({ status }) => status === "running");
  }

  waiting(): Ticket[] {
    return this.entered.filter(({ status }) => status === "waiting");
  }

  /** Running calls that no sub-call blocks. */
  free(): Ticket[] {
    return this.running().filter((call) => this.open(call).length === 0);
  }

  play(steps: readonly Step[], after: () => void): void {
    for (const one of steps) {
      const pick = <T>(list: readonly T[], n: number) => list[n % Math.max(1, list.length)];
      if (one.type === "enter") this.enter(one.request);
      else if (one.type === "sub") {
        const parent = pick(this.running(), one.of);
        if (parent !== undefined && parent.depth < 3) this.start(this.sub(one.request, parent));
      } else if (one.type === "ask") {
        const parent = pick(this.running(), one.of);
        if (parent !== undefined && parent.depth < 3) this.ask(one.request, parent);
      } else if (one.type === "answer") {
        const asking = this.subs.filter(({ status }) => status === "asks");
        const sub = pick(asking, one.which);
        if (sub !== undefined) this.answer(sub, one.allows);
      } else {
        const from = one.type === "end" ? this.free() : this.waiting();
        const ticket = pick(from, one.which);
        if (ticket !== undefined) this.leave(ticket);
      }
      this.come();
      after();
    }
  }
}

function conflict(a: Ticket, b: Ticket): boolean {
  if (a.isIn(b) || b.isIn(a)) return false;
  return (
    a.request.exclusive ||
    b.request.exclusive ||
    a.request.keys.some((key) => b.request.keys.includes(key))
  );
}

// Contract: executor-19
test("calls that exclude each other never run together, and concurrency limits are never exceeded", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60, size: "max" }),
      (atOnce, steps) => {
        const watched = new Watched(atOnce);
        watched.play(steps, () => {
          const running = watched.running();
          for (const [n, a] of running.entries())
            for (const b of running.slice(n + 1)) assert.equal(conflict(a, b), false);
          assert.ok(running.filter(({ parent }) => parent === undefined).length <= atOnce);
          for (const [key, limit] of [
            ["one", 1],
            ["two", 2],
          ] as const) {
            // A sub-call of the same kind as its parent is a part of the parent.
            const holders = running.filter(({ request }) => request.cap?.key === key);
            const own = holders.filter((a) => !holders.some((b) => a.isIn(b)));
            assert.ok(own.length <= limit, `${own.length} of ${key}`);
          }
        });
      },
    ),
    { numRuns: 300 },
  );
});

// Contract: plugins-70
test("every ticket that enters also leaves, regardless of its locks", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.oneof({ weight: 3, arbitrary: growing }, step), { maxLength: 40, size: "max" }),
      (atOnce, steps) => {
        const watched = new Watched(atOnce);
        watched.play(steps, () => {});
        for (;;) {
          watched.come();
          const asking = watched.subs.find(({ status }) => status === "asks");
          const [next] = watched.free();
          if (next !== undefined) watched.leave(next);
          else if (asking !== undefined) watched.answer(asking, true);
          else break;
        }
        assert.deepEqual(
          watched.entered.filter(({ status }) => status !== "left"),
          [],
        );
        assert.equal(watched.resuming.size, 0);
      },
    ),
    { numRuns: 300 },
  );
});

// Contract: plugins-69
test("a call releases its locks while all its work waits for a user, and holds them otherwise", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60, size: "max" }),
      (atOnce, steps) => {
        const watched = new Watched(atOnce);
        const waits = (call: Ticket): boolean => {
          const open = watched.open(call);
          const isInside = ({ status, ticket }: Sub) =>
            status === "asks" ||
            (status === "entered" &&
              ticket?.status !== "waiting" &&
              ticket !== undefined &&
              waits(ticket));
          return open.length > 0 && open.every(isInside);
        };
        watched.play(steps, () => {
          const tops = watched.entered.filter(
            ({ parent, status }) =>
              parent === undefined && status !== "left" && status !== "waiting",
          );
          for (const top of tops) {
            if (waits(top)) assert.equal(top.status, "suspended");
            const isResuming = [...watched.resuming.keys()].some((sub) => sub.parent.root === top);
            if (!waits(top) && !isResuming) assert.equal(top.status, "running");
            const related = watched.entered.filter(
              ({ root, status }) => root === top && status !== "left" && status !== "waiting",
            );
            for (const one of related) assert.equal(one.status, top.status);
          }
        });
      },
    ),
    { numRuns: 300 },
  );
});

// Contract: plugins-71
test("no call starves: the oldest call runs, regardless of later calls", () => {
  const plain = step.filter(({ type }) => type !== "sub" && type !== "ask");
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(plain, { maxLength: 60, size: "max" }),
      (atOnce, steps) => {
        const watched = new Watched(atOnce);
        watched.play(steps, () => {
          const oldest = watched.entered.find(({ status }) => status !== "left");
          assert.notEqual(oldest?.status, "waiting");
        });
      },
    ),
    { numRuns: 300 },
  );
});

test("every call that could run runs", () => {
  fc.assert(
    fc.property(fc.array(mixed, { maxLength: 12 }), (list) => {
      const watched = new Watched(100);
      for (const request of list) watched.enter(request);
      for (const [n, ticket] of watched.entered.entries()) {
        if (ticket.status !== "waiting") continue;
        const before = watched.entered.slice(0, n);
        const { cap } = ticket.request;
        const capped = before.filter(
          ({ request }) => cap !== undefined && request.cap?.key === cap.key,
        );
        assert.ok(
          before.some((other) => conflict(other, ticket)) || capped.length >= (cap?.limit ?? 1),
          "it waits for no call",
        );
      }
    }),
  );
});

test("two calls whose sub-calls need each other's locks do not deadlock", () => {
  const watched = new Watched(2);
  const of = (...keys: string[]): LockRequest => ({ exclusive: false, keys });
  watched.enter(of("a"));
  watched.enter(of("b"));
  const [first, second] = watched.entered;
  watched.enter(of("b"), first);
  assert.equal(watched.refused, 0, "it waits, because the other may end");
  watched.enter(of("a"), second);
  assert.equal(watched.refused, 1);
});

test("sub-calls of one call under one lock run one at a time", () => {
  const watched = new Watched(1);
  const lock: LockRequest = { exclusive: false, keys: ["a"] };
  watched.enter(lock);
  const [parent] = watched.entered;
  watched.enter(lock, parent);
  watched.enter(lock, parent);
  assert.deepEqual(
    watched.entered.map(({ status }) => status),
    ["running", "running", "waiting"],
  );
});

test("thousands of calls that end as they start do not overflow the stack", () => {
  const scheduler = new Scheduler(1);
  const request: LockRequest = { exclusive: false, keys: [] };
  const first = scheduler.enter(request, { start: () => {} });
  let ran = 0;
  for (let n = 0; n < 20_000; n++) {
    scheduler.enter(request, {
      start: (ticket) => {
        ran++;
        scheduler.leave(ticket);
      },
    });
  }
  assert.ok(first !== undefined);
  scheduler.leave(first);
  assert.equal(ran, 20_000);
});
