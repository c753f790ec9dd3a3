import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { withMemoryStore } from "@capstan/store/testing";
import { chainLimits } from "./launch.ts";
import { defaultServerLimits, type ServerLimits } from "../request/run-limits.ts";
import { begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

const ok = defineTool({
  name: "Ok",
  description: "",
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: () => "fine",
});
const calls = { calls: [{ name: "Ok" }], usage: { inputTokens: 500, outputTokens: 500 } };

test("a turn that reaches a server limit answers without tools", async () => {
  for (const [limit, more] of [
    ["rounds", { rounds: 1 }],
    ["tokens", { turnTokens: 1000 }],
    ["calls", { turnCalls: 1 }],
  ] as const) {
    await withMemoryStore(async (store) => {
      const model = new ScriptedModel([calls, "That is all."]);
      const limits: ServerLimits = { ...defaultServerLimits, ...more };
      const run = await begin(createRuns({ store, model, tools: [ok], limits }), requestOf("go"));
      const { result } = await runIn(store, run.id, "completed");
      assert.equal(result?.limit?.limit, limit);
      assert.equal(result?.answer, "That is all.");
      assert.deepEqual(model.requests[1]?.tools, []);
    });
  }
});

test("a cost limit fails the run of a model without prices, with a remedy", async () => {
  await withMemoryStore(async (store) => {
    const model = new ScriptedModel([calls]);
    const limits: ServerLimits = { ...defaultServerLimits, turnCost: 1 };
    const run = await begin(createRuns({ store, model, tools: [ok], limits }), requestOf("go"));
    const { result } = await runIn(store, run.id, "failed");
    assert.equal(result?.error?.code, "invalid_limits");
    assert.match(result?.error?.message ?? "", /Configure its prices/);
    assert.equal(model.requests.length, 0);
  });
});

// Contract: durability-22
test("a run that exceeds its time limit expires, and its calls are stopped", async () => {
  await withMemoryStore(async (store) => {
    const clock = new FakeClock();
    const began = Promise.withResolvers<AbortSignal>();
    const hang = tool("Hang", (_args, { signal }) => {
      began.resolve(signal);
      return new Promise(() => {});
    });
    const model = new ScriptedModel([{ calls: [{ name: "Hang" }] }]);
    const limits: ServerLimits = { ...defaultServerLimits, runMs: 5_000 };
    const run = await begin(
      createRuns({ store, model, tools: [hang], limits, clock }),
      requestOf("go"),
    );
    const signal = await began.promise;
    clock.advance(5_000);
    const { result } = await runIn(store, run.id, "expired");
    assert.equal(result?.error?.code, "timeout");
    assert.ok(signal.aborted);
    assert.equal(clock.pending, 0);
  });
});

test("a request can lower the limit of a turn's calls but not raise it", () => {
  const limits = { ...defaultServerLimits, turnCalls: 5 };
  assert.equal(chainLimits(limits, { maxToolCalls: 3, maxRounds: null }).maxToolCalls, 3);
  assert.equal(chainLimits(limits, { maxToolCalls: 9, maxRounds: null }).maxToolCalls, 5);
  assert.equal(chainLimits(limits, { maxToolCalls: null, maxRounds: null }).maxToolCalls, 5);
  assert.equal(
    chainLimits(defaultServerLimits, { maxToolCalls: null, maxRounds: null }).maxToolCalls,
    undefined,
  );
});

test("the server limits the tokens of a turn's results in one model request", async () => {
  await withMemoryStore(async (store) => {
    const much = defineTool({
      name: "Much",
      description: "",
      effects: "read",
      permission: { executionPolicy: "auto" },
      execute: () => "a long result ".repeat(100),
    });
    const call = { calls: [{ name: "Much" }] };
    const model = new ScriptedModel([call, call, "Done."]);
    const limits: ServerLimits = { ...defaultServerLimits, shownTokens: 500 };
    const run = await begin(createRuns({ store, model, tools: [much], limits }), requestOf("go"));
    await runIn(store, run.id, "completed");
    const shown = model.requests[2]?.messages.filter(({ role }) => role === "tool") ?? [];
    assert.deepEqual(
      shown.map(({ content }) => String(content).includes("[Shortened: ")),
      [true, false],
    );
  });
});
