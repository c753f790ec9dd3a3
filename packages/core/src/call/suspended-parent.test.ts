import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith, reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import type { ApprovalAnswer, ReviewDecision } from "../index.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolContext } from "../tool/tool-context.ts";

/** Lets all pending promise callbacks run. */
const turns = () => new Promise(setImmediate);
type Effects = "read" | "exclusive" | { readonly locks: () => readonly string[] };
const lock = (...keys: string[]): Effects => ({ locks: () => keys });

/** Tools that record their actions, and users who answer when the test tells them. */
function setUp(options: { readonly callsAtOnce?: number } = {}) {
  const clock = new FakeClock();
  const log: string[] = [];
  const asked: PromiseWithResolvers<ApprovalAnswer>[] = [];
  const reviewed: PromiseWithResolvers<ReviewDecision>[] = [];
  const ends = new Map<string, () => void>();

  /** A tool that runs a function, and records its start and end. */
  const does = (
    name: string,
    effects: Effects,
    execute: (context: ToolContext) => unknown = () => undefined,
    more = {},
  ) =>
    defineTool({
      ...reads,
      name,
      effects,
      ...more,
      execute: async (_args, context) => {
        log.push(`${name} begins`);
        await execute(context);
        log.push(`${name} ends`);
      },
    });
  /** A tool that runs until the test ends it. */
  const runs = (name: string, effects: Effects) =>
    does(name, effects, () => new Promise<void>((resolve) => ends.set(name, resolve)));
  const asks = (name: string, effects: Effects = "read") =>
    defineTool({
      ...reads,
      name,
      effects,
      permission: { executionPolicy: "ask-always" },
      execute: () => void log.push(`${name} runs`),
    });
  const calls =
    (...names: string[]) =>
    async ({ callTool }: ToolContext) => {
      const results = await Promise.all(names.map((name) => callTool(name, {})));
      log.push(`got ${results.map(({ status }) => status).join(" ")}`);
    };
  const start = (tools: readonly ReturnType<typeof does>[]) =>
    executorWith(tools, {
      clock,
      limits: { callsAtOnce: options.callsAtOnce ?? 8 },
      approvals: {
        request: () => {
          const answer = Promise.withResolvers<ApprovalAnswer>();
          asked.push(answer);
          return answer.promise;
        },
        review: () => {
          const answer = Promise.withResolvers<ReviewDecision>();
          reviewed.push(answer);
          return answer.promise;
        },
      },
    });
  const answer = async (n: number, decision: "allow" | "refuse" = "allow") => {
    asked[n]?.resolve({ decision });
    await turns();
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await turns();
  };
  return { clock, log, reviewed, does, runs, asks, calls, start, answer, end };
}

// Contract: plugins-68
test("a call whose sub-call waits for a user holds no slot and no lock, and takes both before it resumes", async () => {
  const { log, does, runs, asks, calls, start, answer, end } = setUp({ callsAtOnce: 1 });
  const executor = start([
    does("Parent", lock("x"), calls("Asks")),
    asks("Asks"),
    does("Short", lock("x")),
    runs("Long", lock("x")),
  ]);
  const parent = executor.execute("Parent", {});
  await turns();
  await executor.execute("Short", {});
  const long = executor.execute("Long", {});
  await turns();
  assert.deepEqual(log, ["Parent begins", "Short begins", "Short ends", "Long begins"]);
  await answer(0);
  assert.equal(log.at(-1), "Long begins", "the approved sub-call waits for its parent's locks");
  await end("Long");
  assert.deepEqual(log.slice(4), ["Long ends", "Asks runs", "got success", "Parent ends"]);
  assert.equal((await parent).status, "success");
  assert.equal((await long).status, "success");
});

// Contract: plugins-68
test("an exclusive call lets others run while its sub-call waits, and excludes them again afterwards", async () => {
  const { log, does, runs, asks, calls, start, answer, end } = setUp();
  const executor = start([
    does("Alone", "exclusive", calls("Asks")),
    asks("Asks"),
    runs("Reads", "read"),
    does("Later", "read"),
  ]);
  const alone = executor.execute("Alone", {});
  await turns();
  void executor.execute("Reads", {});
  await turns();
  await answer(0, "refuse");
  const later = executor.execute("Later", {});
  await turns();
  assert.deepEqual(log, ["Alone begins", "Reads begins"]);
  await end("Reads");
  await later;
  assert.deepEqual(log.slice(2), [
    "Reads ends",
    "got execution_rejected",
    "Alone ends",
    "Later begins",
    "Later ends",
  ]);
  assert.equal((await alone).status, "success");
});

// Contract: plugins-68
test("a resuming call has priority over calls that have not started", async () => {
  const { log, does, runs, asks, calls, start, answer, end } = setUp({ callsAtOnce: 1 });
  const executor = start([
    does("Parent", "read", calls("Asks")),
    asks("Asks"),
    runs("Long", "read"),
    does("Queued", "read"),
  ]);
  void executor.execute("Parent", {});
  await turns();
  void executor.execute("Long", {});
  const queued = executor.execute("Queued", {});
  await turns();
  await answer(0);
  await end("Long");
  await queued;
  assert.deepEqual(log.slice(2), [
    "Long ends",
    "Asks runs",
    "got success",
    "Parent ends",
    "Queued begins",
    "Queued ends",
  ]);
});

// Contract: plugins-69
test("a call holds its locks while any of its sub-calls works", async () => {
  const { log, does, runs, asks, calls, start, answer, end } = setUp();
  const executor = start([
    does("Parent", lock("x"), calls("Asks", "Works")),
    asks("Asks"),
    runs("Works", "read"),
    does("Other", lock("x")),
  ]);
  const parent = executor.execute("Parent", {});
  const other = executor.execute("Other", {});
  await turns();
  assert.deepEqual(log, ["Parent begins", "Works begins"]);
  await end("Works");
  await other;
  assert.deepEqual(log.slice(2), ["Works ends", "Other begins", "Other ends"]);
  await answer(0);
  assert.equal((await parent).status, "success");
});

// Contract: plugins-64
test("all ancestors of a waiting call hold no slot and no lock, and their deadlines exclude the wait and the resume", async () => {
  const { clock, log, does, runs, asks, calls, start, answer, end } = setUp();
  const executor = start([
    does("Top", lock("x"), calls("Middle"), { timeoutMs: 1_000 }),
    does("Middle", lock("y"), calls("Asks"), { timeoutMs: 1_000 }),
    asks("Asks", lock("z")),
    runs("Both", lock("x", "y")),
  ]);
  const top = executor.execute("Top", {});
  await turns();
  clock.advance(5_000);
  const both = executor.execute("Both", {});
  await turns();
  await answer(0);
  clock.advance(5_000);
  await turns();
  assert.deepEqual(log, ["Top begins", "Middle begins", "Both begins"]);
  await end("Both");
  assert.equal((await top).status, "success");
  assert.equal((await both).status, "success");
  assert.deepEqual(log.slice(3), [
    "Both ends",
    "Asks runs",
    "got success",
    "Middle ends",
    "got success",
    "Top ends",
  ]);
});

// Contract: plugins-68
test("a call whose sub-call's result is in review holds no slot and no lock, and its deadline is paused", async () => {
  const { clock, log, reviewed, does, calls, start } = setUp();
  const secret = defineTool({
    ...reads,
    name: "Secret",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => "secret",
  });
  const executor = start([
    does("Parent", lock("x"), calls("Secret"), { timeoutMs: 1_000 }),
    secret,
    does("Other", lock("x")),
  ]);
  const parent = executor.execute("Parent", {});
  await turns();
  await executor.execute("Other", {});
  clock.advance(10_000);
  reviewed[0]?.resolve({ decision: "release" });
  assert.equal((await parent).status, "success");
  assert.deepEqual(log, [
    "Parent begins",
    "Other begins",
    "Other ends",
    "got success",
    "Parent ends",
  ]);
});

test("a call that is stopped while it resumes ends immediately and withdraws its request", async () => {
  const { log, does, runs, asks, calls, start, answer, end } = setUp();
  const executor = start([
    does("Parent", lock("x"), calls("Asks")),
    asks("Asks"),
    runs("Long", lock("x")),
    does("Next", lock("x")),
  ]);
  const parent = executor.execute("Parent", {}, { callId: "call_p" });
  await turns();
  void executor.execute("Long", {});
  await turns();
  await answer(0);
  const next = executor.execute("Next", {});
  assert.equal(executor.cancel("call_p"), true);
  assert.equal((await parent).status, "cancelled");
  await end("Long");
  assert.equal((await next).status, "success");
  assert.ok(!log.includes("Asks runs"));
  assert.equal(executor.gate.activeCalls.length, 0);
});

// Contract: plugins-70
test("two resuming calls that need each other's locks do not deadlock", async () => {
  const { does, asks, calls, start, answer } = setUp();
  const executor = start([
    does("One", lock("x"), calls("AsksY")),
    does("Two", lock("y"), calls("AsksX")),
    asks("AsksX", lock("x")),
    asks("AsksY", lock("y")),
  ]);
  const both = ["One", "Two"].map((name) => executor.execute(name, {}));
  await turns();
  await Promise.all([answer(0), answer(1)]);
  const ends = (await Promise.all(both)).map(({ status }) => status);
  assert.deepEqual(ends, ["success", "success"]);
});

test("a parent gets its locks back if a waiting sub-call is stopped", async () => {
  const { log, does, runs, asks, calls, start, end } = setUp();
  const executor = start([
    does("Parent", lock("x"), calls("Asks")),
    asks("Asks"),
    runs("Long", lock("x")),
  ]);
  const parent = executor.execute("Parent", {});
  await turns();
  const [, subCall] = executor.gate.activeCalls;
  void executor.execute("Long", {});
  await turns();
  assert.equal(executor.cancel(subCall?.callId ?? ""), true);
  await turns();
  assert.equal(log.at(-1), "Long begins");
  await end("Long");
  assert.equal((await parent).status, "success");
  assert.deepEqual(log.slice(2), ["Long ends", "got cancelled", "Parent ends"]);
});
