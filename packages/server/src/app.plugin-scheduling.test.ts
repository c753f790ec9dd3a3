// Clients of the HTTP APIs see in which order the calls of plugin tools begin and end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type Tool, type ToolContext, toolError } from "@capstan/core";
import { FakeClock } from "@capstan/core/testing";
import { type EndedTurn, startPluginTurn } from "./testing/plugin-turn.ts";

const auto = { executionPolicy: "auto" } as const;
const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const lock = (...keys: readonly string[]) => ({ locks: () => keys });
type Options = Partial<Omit<Tool, "execute">>;

/** Creates a tool that runs for several turns of the event loop, or runs the given function. */
function does(
  name: string,
  options: Options = {},
  execute: (context: ToolContext) => unknown = () => new Promise((go) => setTimeout(go, 3)),
): Tool {
  const run = async (_args: unknown, context: ToolContext) => {
    // A call releases its locks when its function returns. The end of the call is recorded later,
    // so the tool's own events are more exact.
    context.output.event("begins", null);
    const result = await execute(context);
    context.output.event("ends", null);
    return result ?? name;
  };
  return {
    ...defineTool({ name, description: name, permission: auto, execute: run }),
    ...options,
  };
}

/** Returns whether two calls ran at the same time. */
function together({ order }: EndedTurn, one: string, other: string): boolean {
  const at = (event: string) => {
    const index = order.indexOf(event);
    assert.notEqual(index, -1, `${event}: ${order.join(", ")}`);
    return index;
  };
  return at(`${one} begins`) < at(`${other} ends`) && at(`${other} begins`) < at(`${one} ends`);
}

/** Creates tools, each of which ends only after all of them have begun. */
function meet(...names: readonly string[]) {
  const all = Promise.withResolvers<void>();
  let begun = 0;
  return (options: Options) =>
    names.map((name) =>
      does(name, options, async () => {
        begun += 1;
        if (begun === names.length) all.resolve();
        await all.promise;
      }),
    );
}

const read = { effects: "read" } as const;
const asks = { ...read, permission: { executionPolicy: "ask-always" } } as const;

// Contract: plugins-15, plugins-59, plugins-60, plugins-61, plugins-62, plugins-63, plugins-71
test("reads run in parallel; writes, equal locks, exclusive calls and limits prevent that", async () => {
  const turn = await startPluginTurn({
    executor: { limits: { callsAtOnce: 3 } },
    tools: [
      ...meet("Read1", "Read2", "Read3")(read),
      does("Read4", read),
      does("Write1"),
      does("Write2"),
      ...meet("LockX", "LockZ")({}).map((tool, n) => ({ ...tool, effects: lock("xz"[n] ?? "") })),
      does("LockXY", { effects: lock("x", "y") }),
      does("Before", read),
      does("Alone", { effects: "exclusive" }),
      does("After", read),
      does("Capped", { ...read, maxConcurrent: 1 }),
    ],
    steps: [
      call("Read1", "Read2", "Read3", "Read4"),
      call("Write1", "Write2"),
      call("LockX", "LockXY", "LockZ"),
      call("Before", "Alone", "After"),
      call("Capped", "Capped", "Capped"),
      "Done.",
    ],
  });
  const ended = await turn.ended();
  assert.ok(together(ended, "Read1", "Read2") && together(ended, "Read2", "Read3"));
  const reads = ended.order.indexOf("Read4 begins");
  assert.ok(
    ended.order.slice(0, reads).some((event) => event.endsWith("ends")),
    "at most three",
  );
  assert.ok(!together(ended, "Write1", "Write2"));
  assert.ok(together(ended, "LockX", "LockZ"));
  assert.ok(!together(ended, "LockX", "LockXY"));
  // The read after the exclusive call does not overtake it.
  const alone = ended.order.filter((event) => /^(?:Before|Alone|After) /.test(event));
  assert.deepEqual(alone, [
    "Before begins",
    "Before ends",
    "Alone begins",
    "Alone ends",
    "After begins",
    "After ends",
  ]);
  const capped = ended.order.filter((event) => event.startsWith("Capped"));
  assert.deepEqual(
    capped,
    [1, 2, 3].flatMap(() => ["Capped begins", "Capped ends"]),
  );
});

// Contract: plugins-15, plugins-64, plugins-66, plugins-67
test("a client sees which calls ran out of time, were retried, or are still running", async () => {
  const clock = new FakeClock();
  const keys: string[] = [];
  const busy = { code: "busy", message: "Busy.", retryable: true };
  const answers = [toolError(busy), toolError({ ...busy, retryAfterMs: 30_000 }), "at last"];
  const late = Promise.withResolvers<string>();
  const turn = await startPluginTurn({
    executor: { clock, random: () => 1 },
    tools: [
      does("Ignores", { timeoutMs: 1_000 }, () => late.promise),
      does(
        "Heeds",
        { timeoutMs: 1_000, ...read },
        ({ signal }) =>
          new Promise((_go, stop) => {
            signal.addEventListener("abort", () => stop(signal.reason as Error));
          }),
      ),
      does("Retries", { ...read, retry: { attempts: 3, baseMs: 100 } }, ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return answers.shift();
      }),
    ],
    steps: [call("Ignores", "Heeds", "Retries"), "Done."],
  });
  let passed = 0;
  for (; passed < 45_000; passed += 50) {
    clock.advance(50);
    await new Promise(setImmediate);
    if (answers.length === 0 && passed > 1_000) break;
  }
  const { calls, outputs } = await turn.ended();
  late.resolve("late");
  const [ignores, heeds, retries] = ["Ignores", "Heeds", "Retries"].map((tool) =>
    calls.find(({ name }) => name === tool),
  );
  assert.deepEqual([ignores?.status, ignores?.leftBehind], ["timed_out", true]);
  assert.match(outputs["Ignores"] ?? "", /may still be running/);
  assert.deepEqual([heeds?.status, heeds?.leftBehind], ["timed_out", undefined]);
  assert.doesNotMatch(outputs["Heeds"] ?? "", /still be running/);
  assert.equal(outputs["Retries"], "at last");
  assert.deepEqual(
    retries?.retries?.map(({ code, delayMs }) => [code, delayMs]),
    [
      ["busy", 100],
      ["busy", 30_000],
    ],
  );
  assert.equal(new Set(keys).size, 1, "each attempt has the same key");
  const again = (await turn.ended()).calls.find(({ name }) => name === "Ignores");
  assert.deepEqual(again, ignores, "its late result is ignored");
});

// Contract: plugins-65
test("a client stops one call, and its siblings and the turn continue", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const turn = await startPluginTurn({
    tools: [
      does("Hangs", read, async ({ signal }) => {
        begun.resolve();
        await new Promise((_go, stop) => {
          signal.addEventListener("abort", () => stop(signal.reason as Error));
        });
      }),
      does("Continues", read, () => stopped.promise),
    ],
    steps: [{ calls: [{ name: "Hangs", id: "c1" }, { name: "Continues" }] }, "Done."],
  });
  await begun.promise;
  const { status } = await turn.app.call("POST", `/v1/runs/${turn.id}/calls/c1/cancel`, {});
  assert.equal(status, 200);
  stopped.resolve();
  const { calls, response } = await turn.ended();
  assert.deepEqual(
    calls.map(({ name, status: end }) => [name, end]),
    [
      ["Hangs", "cancelled"],
      ["Continues", "succeeded"],
    ],
  );
  assert.equal(response.status, "completed");
});

// Contract: plugins-64, plugins-68
test("a call whose sub-call waits for a user lets others run, and its deadline is paused", async () => {
  const clock = new FakeClock();
  const x = { effects: lock("x") };
  const turn = await startPluginTurn({
    executor: { clock, limits: { callsAtOnce: 1 } },
    tools: [
      does("Parent", { ...x, timeoutMs: 1_000 }, async ({ callTool }) => {
        return (await callTool("Asks", {})).status;
      }),
      does("Asks", asks),
      does("Short", x),
    ],
    steps: [call("Parent", "Short"), "Done."],
  });
  const shortEnded = async () => {
    for (;;) {
      const { body } = await turn.app.call("GET", `/v1/runs/${turn.id}/calls`);
      if (JSON.stringify(body.data).includes('"name":"Short"')) {
        const calls = body.data as unknown as readonly { name: string; status: string }[];
        if (calls.some(({ name, status }) => name === "Short" && status === "succeeded")) return;
      }
      await new Promise((go) => setTimeout(go, 2));
    }
  };
  await shortEnded();
  clock.advance(60_000);
  await turn.answer({ decision: "allow" });
  const { order, outputs } = await turn.ended();
  assert.deepEqual(order, [
    "Parent begins",
    "Short begins",
    "Short ends",
    "Asks begins",
    "Asks ends",
    "Parent ends",
  ]);
  assert.equal(outputs["Parent"], "success");
});

// Contract: plugins-69
test("a call holds its lock while one of its sub-calls works", async () => {
  const release = Promise.withResolvers<void>();
  const works = Promise.withResolvers<void>();
  const x = { effects: lock("x") };
  const turn = await startPluginTurn({
    tools: [
      does("Parent", x, async ({ callTool }) => {
        const working = callTool("Works", {});
        await works.promise;
        await Promise.all([working, callTool("Asks", {})]);
      }),
      does("Asks", asks),
      does("Works", read, async () => {
        works.resolve();
        await release.promise;
      }),
      does("Other", x),
    ],
    steps: [call("Parent", "Other"), "Done."],
  });
  await works.promise;
  await new Promise((go) => setTimeout(go, 5));
  release.resolve();
  await turn.answer({ decision: "allow" });
  const { order } = await turn.ended();
  const at = (event: string) => order.indexOf(event);
  assert.ok(at("Works ends") < at("Other begins"), order.join(", "));
});

// Contract: plugins-70
test("of two calls that wait for each other's locks, one gets an error and can be tried again", async () => {
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const holds = (name: string, key: string, calls: string) =>
    does(name, { effects: lock(key) }, async ({ callTool }) => {
      begun += 1;
      if (begun === 2) both.resolve();
      await both.promise;
      const result = await callTool(calls, {});
      return "error" in result ? result.error : result.status;
    });
  const turn = await startPluginTurn({
    tools: [
      holds("One", "x", "WantsY"),
      holds("Two", "y", "WantsX"),
      does("WantsX", { effects: lock("x") }),
      does("WantsY", { effects: lock("y") }),
    ],
    steps: [call("One", "Two"), "Done."],
  });
  const { outputs } = await turn.ended();
  const results = [outputs["One"], outputs["Two"]];
  assert.equal(results.filter((text) => text === "success").length, 1, JSON.stringify(outputs));
  assert.match(results.join(""), /"retryable":true/);
});
