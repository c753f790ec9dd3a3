import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { defineTool, type ToolOptions } from "../../tool/define-tool.ts";
import { toolError } from "../../tool/return-value.ts";
import { MemoryLedger } from "../record/ledger.ts";
import { retryDelay } from "./run-tool.ts";

type Given = Partial<ToolOptions<never, unknown, unknown>>;

/** A tool in an executor whose clock and random numbers the test controls. */
function setUp(options: Given) {
  const clock = new FakeClock();
  const ledger = new MemoryLedger();
  const tool = defineTool({ ...reads, name: "T", ...options });
  const executor = executorWith([tool], { clock, ledger, random: () => 1 });
  const record = () => ledger.list()[0];
  return { clock, executor, record };
}
/** Lets all pending promise callbacks run. */
const turns = () => new Promise(setImmediate);
const busy = (more = {}) => toolError({ code: "busy", message: "Busy.", retryable: true, ...more });

// Contract: executor-23, executor-128, executor-131, plugins-66
test("a retryable failure is retried with the same key, and the record lists the attempts", async () => {
  const keys: string[] = [];
  const answers = [busy(), busy(), "at last"];
  const { clock, executor, record } = setUp({
    retry: { attempts: 3, baseMs: 100 },
    execute: (_args, { idempotencyKey }) => (keys.push(idempotencyKey), answers.shift()),
  });
  const running = executor.execute("T", {}, { callId: "call_1" });
  await turns();
  assert.equal(keys.length, 1);
  clock.advance(100);
  assert.equal(keys.length, 2);
  clock.advance(199);
  assert.equal(keys.length, 2);
  clock.advance(1);
  assert.equal((await running).status, "success");
  assert.deepEqual(keys, ["call_1", "call_1", "call_1"]);
  const retry = { code: "busy", message: "Busy." };
  assert.deepEqual(record()?.retries, [
    { at: 1_000_000, ...retry, delayMs: 100 },
    { at: 1_000_100, ...retry, delayMs: 200 },
  ]);
});

// Contract: executor-23
test("a thrown error is retried, a permanent error is not", async () => {
  let count = 0;
  const throwing = setUp({
    retry: { attempts: 2, baseMs: 0 },
    execute: async () => {
      count++;
      throw new Error("no");
    },
  });
  const running = throwing.executor.execute("T", {});
  await turns();
  throwing.clock.advance(0);
  assert.equal((await running).status, "error");
  assert.equal(count, 2);
  assert.equal(throwing.clock.pending, 0);

  const final = setUp({
    retry: { attempts: 2 },
    execute: () => toolError({ code: "gone", message: "Gone." }),
  });
  assert.equal((await final.executor.execute("T", {})).status, "error");
  assert.equal(final.record()?.retries, undefined);
});

// Contract: executor-23, plugins-66
test("a retry waits for the error's delay, and is omitted if the deadline is earlier", async () => {
  const answers = [busy({ retryAfterMs: 30_000 }), busy({ retryAfterMs: 30_000 }), "too late"];
  const { clock, executor, record } = setUp({
    timeoutMs: 45_000,
    retry: { attempts: 3 },
    execute: () => answers.shift(),
  });
  const running = executor.execute("T", {});
  await turns();
  clock.advance(29_999);
  assert.equal(answers.length, 2);
  clock.advance(1);
  const result = await running;
  assert.match(result.status === "error" ? result.finalText : "", /may succeed in 30 s/);
  assert.equal(record()?.retries?.length, 1);
  assert.equal(clock.pending, 0);
});

// Contract: plugins-66
test("a retry delay is random, below a bound that doubles with each attempt", () => {
  const error = { code: "busy", message: "", retryable: true };
  const policy = { attempts: 9, baseMs: 100, maxMs: 1_000 };
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 9].map((tries) => retryDelay({ policy, error, tries, random }));
  assert.deepEqual(delays(1), [100, 200, 400, 800, 1_000, undefined]);
  assert.deepEqual(delays(0.5), [50, 100, 200, 400, 500, undefined]);
});

// Contract: executor-106, loop-39
test("a call can be stopped while it waits for a retry", async () => {
  const { clock, executor, record } = setUp({ retry: { attempts: 3 }, execute: () => busy() });
  const running = executor.execute("T", {}, { callId: "call_1" });
  await turns();
  assert.equal(executor.cancel("call_1", "enough"), true);
  assert.equal((await running).status, "cancelled");
  assert.equal(clock.pending, 0);
  assert.equal(record()?.leftBehind, undefined, "nothing was running");
});

// Contract: executor-131, executor-248, plugins-67
test("a tool that ignores its signal is left running, and the record reports it", async () => {
  const late = Promise.withResolvers<string>();
  const { clock, executor, record } = setUp({
    timeoutMs: 1_000,
    execute: (_args, { signal }) => (signal.aborted, late.promise),
  });
  const running = executor.execute("T", {});
  await turns();
  clock.advance(1_000);
  const result = await running;
  assert.equal(result.status, "timed_out");
  assert.match(result.status === "timed_out" ? result.finalText : "", /may still be running/);
  const settled = record();
  assert.equal(settled?.leftBehind, true);
  late.resolve("late");
  await turns();
  assert.equal(record(), settled, "its late result is ignored");
  assert.equal(executor.variables.resultCount, 1, "only the error is kept");
});

test("a call waits for a tool that stops within its time, and reports what the tool wrote", async () => {
  const stopped = Promise.withResolvers<void>();
  const { clock, executor, record } = setUp({
    timeoutMs: 1_000,
    stopMs: 500,
    execute: async (_args, { signal, output }) => {
      output.write("step 1\n");
      output.write("step 2\n");
      await stopped.promise;
      throw signal.reason;
    },
  });
  const running = executor.execute("T", {});
  await turns();
  clock.advance(1_000);
  await turns();
  assert.equal(await Promise.race([running, turns().then(() => "waits")]), "waits");
  stopped.resolve();
  const result = await running;
  assert.ok(result.status === "timed_out");
  assert.deepEqual(result.error.details, { output: "step 1\nstep 2\n" });
  assert.match(result.finalText, /step 2/);
  assert.doesNotMatch(result.finalText, /may still be running/);
  assert.equal(record()?.leftBehind, undefined);
  assert.equal(clock.pending, 0);
});

test("a call does not wait longer than its time for a tool that does not stop", async () => {
  const { clock, executor, record } = setUp({
    stopMs: 500,
    execute: () => new Promise(() => {}),
  });
  const running = executor.execute("T", {}, { callId: "call_1" });
  await turns();
  executor.cancel("call_1", "enough");
  await turns();
  clock.advance(500);
  const result = await running;
  assert.ok(result.status === "cancelled");
  assert.match(result.finalText, /may still be running/);
  assert.equal(record()?.leftBehind, true);
});

test("only the end of a long output reaches the model, and a hidden output does not", async () => {
  const stoppedAfter = async (given: Given, text: string) => {
    const { clock, executor } = setUp({
      ...given,
      timeoutMs: 1_000,
      execute: (_args, { output }) => (output.write(text), new Promise(() => {})),
    });
    const running = executor.execute("T", {});
    await turns();
    clock.advance(1_000);
    const result = await running;
    assert.ok(result.status === "timed_out");
    return result.error.details;
  };
  assert.deepEqual(await stoppedAfter({}, `${"a".repeat(9_000)}end`), {
    output: `${"a".repeat(3_997)}end`,
  });
  assert.equal(await stoppedAfter({ output: "hidden" }, "secret"), undefined);
  assert.equal(await stoppedAfter({}, ""), undefined);
});

test("the deadline of a call can depend on its arguments", async () => {
  const clock = new FakeClock();
  const tool = defineTool({
    ...reads,
    name: "T",
    parameters: z.object({ seconds: z.number().default(3) }),
    timeoutMs: ({ seconds }) => seconds * 1_000,
    execute: () => new Promise(() => {}),
  });
  for (const [args, ms] of [
    [{}, 3_000],
    [{ seconds: 5 }, 5_000],
    // No time: the gate's limit applies.
    [{ seconds: -1 }, 60_000],
  ] as const) {
    const running = executorWith([tool], { clock }).execute("T", args);
    await turns();
    clock.advance(ms - 1);
    await turns();
    clock.advance(1);
    const result = await running;
    assert.ok(result.status === "timed_out");
    assert.match(result.finalText, new RegExp(`stopped after ${ms / 1000} s`));
  }
});

// Contract: executor-172, plugins-15
test("a tool that respects its signal is not left running", async () => {
  const { clock, executor, record } = setUp({
    timeoutMs: 1_000,
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  });
  const running = executor.execute("T", {});
  await turns();
  clock.advance(1_000);
  const result = await running;
  assert.equal(result.status, "timed_out");
  assert.doesNotMatch(result.status === "timed_out" ? result.finalText : "", /still be running/);
  assert.equal(record()?.leftBehind, undefined);
});

// Contract: executor-21, plugins-64
test("a deadline is paused while a sub-call waits for a user", async () => {
  const clock = new FakeClock();
  const word = Promise.withResolvers<{ decision: "allow" }>();
  const asks = defineTool({ name: "Asks", description: "", execute: () => "allowed" });
  const parent = defineTool({
    ...reads,
    name: "Parent",
    timeoutMs: 1_000,
    execute: async (_args, context) => {
      const result = await context.callTool("Asks", {});
      await new Promise((resolve) => clock.after(900, () => resolve(undefined)));
      return result.status;
    },
  });
  const approvals = { request: () => word.promise };
  const executor = executorWith([asks, parent], { clock, approvals });
  const running = executor.execute("Parent", {});
  await turns();
  clock.advance(60_000);
  word.resolve({ decision: "allow" });
  await turns();
  clock.advance(900);
  const result = await running;
  assert.equal(result.status === "success" && result.data, "success");
  assert.equal(clock.pending, 0);
});

// Contract: executor-111, plugins-65
test("stopping all calls also stops queued ones", async () => {
  const hang = defineTool({ ...reads, name: "Hang", execute: () => new Promise(() => {}) });
  const executor = executorWith([hang], { limits: { callsAtOnce: 2 } });
  const calls = [1, 2, 3, 4].map(() => executor.execute("Hang", {}));
  await turns();
  executor.cancelAll();
  const ends = (await Promise.all(calls)).map(({ status }) => status);
  assert.deepEqual(ends, ["cancelled", "cancelled", "cancelled", "cancelled"]);
  assert.equal(executor.gate.activeCalls.length, 0);
});

// Contract: executor-22, plugins-63
test("a tool never runs more calls than its own limit", async () => {
  let running = 0;
  let most = 0;
  const capped = defineTool({
    ...reads,
    name: "Capped",
    maxConcurrent: 2,
    execute: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    },
  });
  const free = defineTool({ ...reads, name: "Free", execute: () => "free" });
  const executor = executorWith([capped, free], { limits: { callsAtOnce: 8 } });
  const calls = Array.from({ length: 10 }, () => executor.execute("Capped", {}));
  assert.equal((await executor.execute("Free", {})).status, "success");
  await Promise.all(calls);
  assert.equal(most, 2);
});
