import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ToolExecutor } from "../call/tool-executor.ts";
import { reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool, defineToolGroup } from "../tool/define-tool.ts";
import { chainStateOf } from "./journal/journal.ts";
import { runToolChain } from "./run-tool-chain.ts";

const hourMs = 3_600_000;
const jump = fc.integer({ min: -hourMs, max: hourMs });
/** A step of a call: the clock is set, time passes, and the clock is set again. */
const step = fc.record({ before: jump, lasts: fc.integer({ min: 0, max: 1_000 }), after: jump });

// Contract: durability-4
test("durations are right, limits are not reached early, and ends follow starts, even if the clock is set", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const clock = new FakeClock(2_000_000_000_000);
      let left = [...steps];
      const pass = defineTool({
        ...reads,
        name: "Pass",
        timeoutMs: 2_000,
        execute: async () => {
          const [next] = left.splice(0, 1);
          if (next === undefined) return;
          await Promise.resolve();
          clock.set(next.before);
          clock.advance(next.lasts);
          clock.set(next.after);
        },
      });
      const executor = new ToolExecutor({ clock });
      executor.registerToolGroup(defineToolGroup({ name: "g", tools: [pass] }));
      executor.toggleGroupEnabled("g", true);
      const rounds = steps.map(() => ({ calls: [{ name: "Pass" }] }));
      const result = await runToolChain({
        executor,
        model: new ScriptedModel([...rounds, "Done."]),
        contextMessages: [{ role: "user", content: "go" }],
        maxDurationMs: 6_000,
      }).result;
      const sum = steps.reduce((total, { lasts }) => total + lasts, 0);
      assert.equal(result.status, "completed");
      assert.equal(result.stats.totalTime, sum);
      assert.ok(result.stats.endTime >= result.stats.startTime);
      assert.deepEqual(
        result.toolCallHistory.map((call) => [call.status, call.result?.durationMs]),
        steps.map(({ lasts }) => ["success", lasts]),
      );
      for (const { proposedAt, startedAt = 0, endedAt = 0 } of result.state.calls)
        assert.ok(proposedAt <= startedAt && startedAt <= endedAt);
      left = [];
    }),
    { numRuns: 100 },
  );
});

// Contract: durability-4
test("the running time from a journal is at least 0 and at most an hour per event", () => {
  const times = fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 1 });
  fc.assert(
    fc.property(times, ([first = 0, ...rest]) => {
      const { elapsed } = chainStateOf([
        { type: "event", event: { type: "chain.started", at: first, model: "m" } },
        ...rest.map((at, round) => ({
          type: "event" as const,
          event: { type: "round.started" as const, round, at },
        })),
      ]);
      assert.ok(elapsed >= 0 && elapsed <= rest.length * hourMs);
      const isSteady = rest.every((at, index) => {
        const gap = at - (rest[index - 1] ?? first);
        return gap >= 0 && gap <= hourMs;
      });
      if (isSteady) assert.equal(elapsed, (rest.at(-1) ?? first) - first);
    }),
  );
});
