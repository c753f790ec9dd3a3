import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "../journal/store.ts";
import { owner } from "../journal/testing/store-fixtures.ts";
import { watchDeadlines } from "./deadlines.ts";
import { defaultServerLimits } from "./server-limits.ts";
import { asking, begin, createRuns, requestOf, runIn } from "./testing/run-fixtures.ts";

const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const limits = defaultServerLimits;
const weather = { type: "function", function: { name: "Weather" } } as const;

/** A server of which all the time is the test's. */
function timed(model: ScriptedModel, tools = [asking("Ask", () => "made")]) {
  const clock = new FakeClock(Date.now());
  const store = openMemoryStore({ clock });
  const runs = createRuns({ store, model, tools, clock });
  const watch = () =>
    watchDeadlines({ runs, parkedMs: limits.parkedMs, clock, log: (line) => assert.fail(line) });
  return { clock, store, runs, watch };
}

test("a question that nobody answers in time is a refusal, and the run goes on with it", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "Then not."]);
  const { clock, store, runs, watch } = timed(model);
  const run = await begin(runs, requestOf("go"));
  await runIn(store, run.id, "requires_action");
  const { stop } = watch();
  await settled();
  assert.equal(clock.pending, 1, "one timer for all");
  await passes(clock, day);
  await runIn(store, run.id, "completed");
  const { data } = await store.listApprovals({ owner, runId: run.id });
  assert.equal(data[0]?.status, "expired");
  assert.match(JSON.stringify(model.requests.at(-1)?.messages), /nobody answered in time/);
  stop();
  assert.equal(clock.pending, 0);
});

test("a run that nobody answers is expired, with every call accounted for", async () => {
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
  assert.match(result?.error?.message ?? "", /Nobody answered/);
  const calls = (await store.readCalls({ owner, runId: run.id })) ?? [];
  assert.deepEqual(
    calls.map(({ call }) => call.status),
    ["cancelled"],
  );
  const events = (await store.readEvents({ owner, runId: run.id })) ?? [];
  assert.deepEqual(events.filter(({ type }) => type === "chain.ended").length, 1);
  stop();
});

test("a sweep that fails is not the last one", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  let sweeps = 0;
  const runs = {
    store: openMemoryStore(),
    expire: async () => {},
    expireApprovals: async () => {
      sweeps++;
      if (sweeps === 1) throw new Error("The disk is full.");
    },
  };
  const { stop } = watchDeadlines({
    runs,
    parkedMs: day,
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

/** Time passes, an hour at once and a little more. */
async function passes(clock: FakeClock, ms: number): Promise<void> {
  for (let hours = 0; hours < ms / hour; hours++) {
    clock.advance(hour);
    await settled();
  }
  clock.advance(2);
  await settled();
}

/** What is under way in memory has been done. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}
