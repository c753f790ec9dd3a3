import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn, tool } from "../testing/run-fixtures.ts";
import { defaultServerLimits } from "./request/run-limits.ts";

const hourMs = 3_600_000;
const heartbeatMs = 1_000;

// Contract: durability-4
test(
  "a clock that is set back and forth by an hour during a run changes no duration, no order and no heartbeat",
  { timeout: 30_000 },
  async () => {
    const clock = new FakeClock(2_000_000_000_000);
    const store = openMemoryStore({ clock });
    const reached: (() => void)[] = [];
    const step = tool("Step", () => new Promise<void>((resolve) => reached.push(resolve)));
    const jumps = [-hourMs, hourMs, hourMs, -hourMs];
    const runs = createRuns({
      store,
      clock,
      model: new ScriptedModel([...jumps.map(() => ({ calls: [{ name: "Step" }] })), "Done."]),
      tools: [step],
      limits: { ...defaultServerLimits, heartbeatMs },
    });
    const events = async (id: string) => (await store.readEvents({ owner, runId: id })) ?? [];
    const countOf = async (id: string, wanted: string) =>
      (await events(id)).filter(({ type }) => type === wanted).length;
    const { id } = await begin(runs, requestOf("go"));
    for (const [index, jump] of jumps.entries()) {
      while (reached.length <= index) await new Promise((resolve) => setTimeout(resolve, 1));
      clock.set(jump);
      runs.heartbeat({ owner, id });
      runs.heartbeat({ owner, id });
      while ((await countOf(id, "run.heartbeat")) <= index)
        await new Promise((resolve) => setTimeout(resolve, 1));
      clock.advance(heartbeatMs);
      reached[index]?.();
    }
    const run = await runIn(store, id, "completed");
    assert.equal(await countOf(id, "run.heartbeat"), jumps.length);
    assert.equal(run.result?.stats.totalTime, jumps.length * heartbeatMs);
    assert.ok((run.endedAt ?? 0) >= run.createdAt);
    const calls = (await store.readCalls({ owner, runId: id })) ?? [];
    assert.deepEqual(
      calls.map(({ call }) => call.result?.durationMs),
      jumps.map(() => heartbeatMs),
    );
    const order = (await events(id)).map(({ seq }) => seq);
    assert.deepEqual(
      order,
      order.map((_, index) => index + 1),
    );
  },
);
