import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolExecutor } from "@capstan/core";
import fc from "fast-check";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type RunRecord, type Store } from "@capstan/store";
import {
  findPostgres,
  intact,
  migrate,
  owner,
  SqliteConnection,
  storeOnConnection,
  withTwoNodes,
} from "@capstan/store/testing";
import { watchDeadlines } from "./deadlines.ts";
import { defaultServerLimits } from "./request/run-limits.ts";
import type { CreateExecutor } from "./active/launch.ts";
import { asking, begin, createRuns, groupOf, requestOf, runIn } from "../testing/run-fixtures.ts";

const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const limits = defaultServerLimits;
const weather = { type: "function", function: { name: "Weather" } } as const;

/** A server whose clock the test controls. */
function timed(
  model: ScriptedModel,
  {
    approvalMs = day,
    suspendedMs = limits.suspendedMs,
    wakeAt,
    clock = new FakeClock(Date.now()),
    store = openMemoryStore({ clock }),
  }: Partial<Timing> = {},
) {
  const group = groupOf([asking("Ask", () => "made")]);
  const createExecutor: CreateExecutor = (options) => {
    const executor = new ToolExecutor({ ...options, clock, limits: { approvalMs } });
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled("g", true);
    return executor;
  };
  const runs = createRuns({ store, model, createExecutor, clock });
  const log = (line: string) => assert.fail(line);
  const watch = () => watchDeadlines({ runs, suspendedMs, clock, log, ...(wakeAt && { wakeAt }) });
  return { clock, store, runs, watch };
}

interface Timing {
  readonly approvalMs: number;
  readonly suspendedMs: number;
  readonly wakeAt: (at: number) => boolean;
  readonly clock: FakeClock;
  readonly store: Store;
}

// Contract: durability-22
test("an approval that is not answered in time is denied, and the run continues", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Then not."]);
  const { clock, store, runs, watch } = timed(model);
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const { stop } = watch();
  await settled();
  assert.equal(clock.pending, 1, "one timer for all");
  await passes(clock, day);
  await runIn(store, run.id, "completed");
  const { data } = intact(await store.listApprovals({ owner, runId: run.id }));
  assert.equal(data[0]?.status, "expired");
  assert.match(JSON.stringify(model.requests.at(-1)?.messages), /no user answered in time/);
  stop();
  assert.equal(clock.pending, 0);
});

// Contract: durability-22
test("a run without an answer expires, and each of its calls has a result", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Weather" }] }]);
  const { clock, store, runs, watch } = timed(model);
  const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  const run = await begin(runs, request);
  await runIn(store, run.id, "requires_action");
  const { stop } = watch();
  await passes(clock, 7 * day - hour);
  assert.equal((await store.getRun({ owner, id: run.id }))?.status, "requires_action");
  await passes(clock, hour);
  const { result } = await runIn(store, run.id, "expired");
  assert.match(result?.error?.message ?? "", /did not get its answer in time/);
  const calls = (await store.readCalls({ owner, runId: run.id })) ?? [];
  assert.deepEqual(
    calls.map(({ call }) => call.status),
    ["cancelled"],
  );
  const events = (await store.readEvents({ owner, runId: run.id })) ?? [];
  assert.deepEqual(events.filter(({ type }) => type === "chain.ended").length, 1);
  stop();
});

// Contract: durability-22
test("an approval that is requested after the watch started expires at its own deadline", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Then not."]);
  const approvalMs = 5 * 60_000;
  const { clock, store, runs, watch } = timed(model, { approvalMs });
  const { stop } = watch();
  await settled();
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  await settled();
  assert.equal(clock.pending, 1, "one timer for all");
  clock.advance(approvalMs - 1);
  await settled();
  const open = intact(await store.listApprovals({ owner, runId: run.id }));
  assert.equal(open.data[0]?.status, "pending");
  clock.advance(2);
  await settled();
  const over = intact(await store.listApprovals({ owner, runId: run.id }));
  assert.equal(over.data[0]?.status, "expired");
  await runIn(store, run.id, "completed");
  stop();
});

// Contract: durability-22
test("a run that suspends after the watch started expires at its deadline", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Weather" }] }]);
  const suspendedMs = 60_000;
  const { clock, store, runs, watch } = timed(model, { suspendedMs });
  const { stop } = watch();
  await settled();
  const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  const run = await begin(runs, request);
  await runIn(store, run.id, "requires_action");
  await settled();
  clock.advance(suspendedMs + 1);
  await settled();
  assert.equal((await store.getRun({ owner, id: run.id }))?.status, "expired");
  stop();
});

// Contract: durability-22
test("an approval that is requested during a check expires on time", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Then not."]);
  const approvalMs = 5 * 60_000;
  const { clock, store, runs } = timed(model, { approvalMs });
  const asked = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  // This read happens before the approval request.
  const everyPendingApproval = async () => {
    const next = await store.everyPendingApproval();
    seen.resolve();
    await asked.promise;
    return next;
  };
  const slow = {
    stores: { all: [{ ...store, everyPendingApproval }] },
    expireApprovals: () => runs.expireApprovals(),
    expire: (run: RunRecord) => runs.expire(run),
    setDeadlineListener: (listener: Parameters<typeof runs.setDeadlineListener>[0]) =>
      runs.setDeadlineListener(listener),
  };
  const log = (line: string) => assert.fail(line);
  const { stop } = watchDeadlines({ runs: slow, suspendedMs: limits.suspendedMs, clock, log });
  await seen.promise;
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  await settled();
  asked.resolve();
  await settled();
  assert.equal(clock.pending, 1, "one timer for all");
  clock.advance(approvalMs + 1);
  await settled();
  const { data } = intact(await store.listApprovals({ owner, runId: run.id }));
  assert.equal(data[0]?.status, "expired");
  stop();
});

// Contract: durability-81
test("the queue receives a deadline only if it is earlier than the one that the queue has", async () => {
  const ask = { calls: [{ name: "Ask" }] };
  const model = new ScriptedModel([ask, ask]);
  const told: number[] = [];
  const wakeAt = (at: number) => told.push(at) > 0;
  const { clock, store, runs, watch } = timed(model, { approvalMs: 60_000, wakeAt });
  const { stop } = watch();
  await settled();
  const first = clock.now();
  for (const text of ["go", "go, too"]) {
    const run = await begin(runs, requestOf(text));
    await runIn(store, run.id, "requires_action");
    await settled();
    clock.advance(1_000);
  }
  assert.deepEqual(told, [first + 60_001]);
  stop();
});

// Contract: durability-4
test("an approval expires after its time limit, whatever the server's system time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jump, { maxLength: 8 }), fc.boolean(), async (jumps, restarts) => {
      const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Then not."]);
      const { clock, store, runs, watch } = timed(model, { approvalMs: hour });
      let { stop } = watch();
      const run = await begin(runs, requestOf("go"));
      await runIn(store, run.id, "requires_action");
      const status = async () => {
        await settled();
        return intact(await store.listApprovals({ owner, runId: run.id })).data[0]?.status;
      };
      const asked = clock.monotonic();
      for (const { afterMs, byMs } of jumps) {
        clock.advance(afterMs);
        clock.set(byMs);
        const isOver = clock.monotonic() - asked > hour;
        assert.equal(await status(), isOver ? "expired" : "pending");
      }
      // A new process reads the stored times, which do not extend the deadline.
      if (restarts) {
        stop();
        ({ stop } = watch());
        await settled();
      }
      clock.advance(hour + 1);
      assert.equal(await status(), "expired");
      await runIn(store, run.id, "completed");
      const { createdAt, endedAt } = (await store.getRun({ owner, id: run.id })) as RunRecord;
      assert.ok(createdAt <= (endedAt ?? 0));
      stop();
      await store.close();
    }),
    { numRuns: 30 },
  );
});

/** The system time is changed after a while, by up to years. */
const jump = fc.record({
  afterMs: fc.integer({ min: 0, max: 20 * 60_000 }),
  byMs: fc.integer({ min: -1_000 * day, max: 1_000 * day }),
});

// Contract: durability-4
test("an answer is accepted while the approval is pending, even if the system time was changed", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Done."]);
  const { clock, store, runs, watch } = timed(model);
  const { stop } = watch();
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  clock.set(1_000 * day);
  const { data } = intact(await store.listApprovals({ owner, runId: run.id }));
  const { id } = data[0] ?? assert.fail();
  const answered = await runs.answer(owner, id, { decision: "allow" });
  assert.equal(answered?.status, "allowed");
  await runIn(store, run.id, "completed");
  stop();
});

test("a run that cannot be expired is retried after a pause", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Weather" }] }]);
  const { clock, store, runs } = timed(model);
  const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  await runIn(store, (await begin(runs, request)).id, "requires_action");
  await passes(clock, 8 * day);
  let tries = 0;
  const broken = {
    stores: { all: [store] },
    expireApprovals: () => runs.expireApprovals(),
    setDeadlineListener: () => {},
    expire: () => {
      tries += 1;
      return Promise.reject(new Error("it is corrupt"));
    },
  };
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const { stop } = watchDeadlines({ runs: broken, suspendedMs: limits.suspendedMs, clock, log });
  await settled();
  for (let n = 0; n < 5; n++) {
    clock.advance(1_000);
    await settled();
  }
  assert.equal(tries, 1);
  clock.advance(60_000);
  await settled();
  assert.equal(tries, 2);
  assert.match(lines.join(), /it is corrupt/);
  stop();
});

// Contract: durability-22
test("a run that cannot be expired delays no approval's expiry", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Weather" }] }, { calls: [{ name: "Ask" }] }]);
  const { clock, store, runs } = timed(model, { approvalMs: 65_000 });
  const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  await runIn(store, (await begin(runs, request)).id, "requires_action");
  clock.advance(50_000);
  const { id: runId } = await begin(runs, requestOf("ask"));
  await runIn(store, runId, "requires_action");
  const broken = {
    stores: { all: [store] },
    expireApprovals: () => runs.expireApprovals(),
    setDeadlineListener: () => {},
    expire: () => Promise.reject(new Error("it is corrupt")),
  };
  const { stop } = watchDeadlines({ runs: broken, suspendedMs: 60_000, clock, log: () => {} });
  await settled();
  // The run is overdue after ten seconds and is retried a minute later; the approval expires before
  // that.
  for (let second = 0; second <= 65; second++) {
    clock.advance(1_000);
    await settled();
  }
  const { data } = intact(await store.listApprovals({ owner, runId }));
  assert.equal(data[0]?.status, "expired");
  stop();
});

test("a watch that is stopped during a check ends no more runs and logs nothing", async () => {
  const turn = { calls: [{ name: "Weather" }] };
  const { clock, store, runs } = timed(new ScriptedModel([turn, turn, turn]));
  const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
  for (let n = 0; n < 3; n++)
    await runIn(store, (await begin(runs, request)).id, "requires_action");
  await passes(clock, 8 * day);
  const tried: string[] = [];
  const closing = {
    stores: { all: [store] },
    expireApprovals: () => runs.expireApprovals(),
    setDeadlineListener: () => {},
    expire: async ({ id }: { readonly id: string }) => {
      tried.push(id);
      watch.stop();
      throw new Error("The store is closed");
    },
  };
  const log = (line: string) => assert.fail(line);
  const watch = watchDeadlines({ runs: closing, suspendedMs: limits.suspendedMs, clock, log });
  await settled();
  assert.equal(tried.length, 1);
  assert.equal(clock.pending, 0);
});

/** A corrupt part of a run, its table and column, and the run's end status. */
const damages = [
  // The run's text is read again when it resumes.
  ["question", "approvals", "request", "failed"],
  // The run was suspended here, so the cache has its pending approval.
  ["wait", "run_results", "result", "completed"],
  ["run", "run_requests", "request", "failed"],
] as const;

for (const [what, table, column, end] of damages)
  test(`a ${what} that is corrupt does not prevent others from expiring`, async () => {
    const sql = new SqliteConnection(new DatabaseSync(":memory:"));
    migrate(sql, 1);
    const clock = new FakeClock(Date.now());
    const store = storeOnConnection(sql, clock);
    const ask = { calls: [{ name: "Ask" }] };
    const model = new ScriptedModel([ask, ask, "Then not.", "Then not."]);
    const { runs } = timed(model, { approvalMs: what === "run" ? day : hour, clock, store });
    const ids: string[] = [];
    for (const text of ["one", "two"]) {
      const { id } = await begin(runs, requestOf(text));
      await runIn(store, id, "requires_action");
      ids.push(id);
    }
    const [bad = "", good = ""] = ids;
    const ofBad = "WHERE run_n = (SELECT n FROM runs WHERE id = ?)";
    sql.run(`UPDATE ${table} SET ${column} = '{' ${ofBad}`, bad);
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const suspendedMs = what === "run" ? hour : day;
    const { stop } = watchDeadlines({ runs, suspendedMs, clock, log });
    await settled();
    await passes(clock, 2 * hour);
    await runIn(store, good, what === "run" ? "expired" : "completed");
    const giveUp = performance.now() + 10_000;
    const statusOf = () => sql.get<{ status: string }>("SELECT status FROM runs WHERE id = ?", bad);
    while (statusOf()?.status !== end && performance.now() < giveUp) await sleep(10);
    assert.equal(statusOf()?.status, end, [...lines, ...runs.lines].join());
    stop();
    await store.close();
  });

const postgres = findPostgres();

// Contract: durability-22
test(
  "a run without an answer expires on PostgreSQL, which compares whole milliseconds",
  { skip: postgres.status === "missing" && postgres.reason },
  () =>
    withTwoNodes(async (store) => {
      // `performance.now()` has fractions of milliseconds, and the time of day has none.
      let fraction = 0;
      const clock = new (class extends FakeClock {
        override monotonic() {
          return super.monotonic() - fraction;
        }
      })(Date.now());
      const { runs, watch } = timed(new ScriptedModel([{ calls: [{ name: "Weather" }] }]), {
        clock,
        store,
        suspendedMs: hour,
      });
      const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
      const run = await begin(runs, request);
      await runIn(store, run.id, "requires_action");
      clock.advance(2 * hour);
      const { check, stop } = watch();
      fraction = 0.25;
      await check();
      await runIn(store, run.id, "expired");
      stop();
    }),
);

test("a failed sweep is followed by another one", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  let sweeps = 0;
  const runs = {
    stores: { all: [openMemoryStore()] },
    setDeadlineListener: () => {},
    expire: async () => {},
    expireApprovals: async () => {
      sweeps++;
      if (sweeps === 1) throw new Error("The disk is full.");
    },
  };
  const { stop } = watchDeadlines({
    runs,
    suspendedMs: day,
    clock,
    log: (line) => lines.push(line),
  });
  await settled();
  clock.advance(60_000);
  await settled();
  assert.deepEqual([sweeps, lines.length], [2, 1]);
  stop();
  clock.advance(hour);
  assert.equal(sweeps, 2);
});

/** Advances the clock in steps of an hour. */
async function passes(clock: FakeClock, ms: number): Promise<void> {
  for (let hours = 0; hours < ms / hour; hours++) {
    clock.advance(hour);
    await settled();
  }
  clock.advance(2);
  await settled();
}

/** Resolves after all queued tasks have ended. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}
