import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import type { PolicyRule } from "../policy/rule.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import type { CallRecord } from "./record/call-record.ts";
import type { ToolExecutor } from "./tool-executor.ts";

test("a call that another stops as both are about to start ends once and never starts", async () => {
  const rows: string[] = [];
  const hold = Promise.withResolvers<void>();
  const stopB = () => void executor.cancel("b");
  const executor: ToolExecutor = executorWith(
    [
      defineTool({ ...reads, name: "Hold", effects: "exclusive", execute: () => hold.promise }),
      defineTool({ ...reads, name: "Stop", execute: stopB }),
      defineTool({ ...reads, name: "B", execute: () => rows.push("ran") }),
    ],
    { ledger: { record: ({ callId, status }) => void (callId === "b" && rows.push(status)) } },
  );
  const calls = [executor.execute("Hold", {}), executor.execute("Stop", {})];
  const b = executor.execute("B", {}, { callId: "b" });
  hold.resolve();
  await Promise.all(calls);
  assert.equal((await b).status, "cancelled");
  assert.deepEqual(rows, ["approved", "cancelled"]);
  assert.equal((await executor.execute("Hold", {})).status, "success", "nothing is held");
});

test("a tool that immediately aborts its caller's signal is stopped", async () => {
  const caller = new AbortController();
  const execute = () => {
    caller.abort();
    return new Promise(() => {});
  };
  const executor = executorWith([defineTool({ ...reads, name: "T", execute })]);
  const { status } = await executor.execute("T", {}, { signal: caller.signal });
  assert.equal(status, "cancelled");
});

test("a call can be stopped while its proposal is being stored", async () => {
  const written = Promise.withResolvers<void>();
  const record = ({ status }: CallRecord) =>
    status === "approved" ? written.promise : assert.equal(status, "cancelled");
  const executor = executorWith([defineTool({ ...reads, name: "T", execute: () => "ran" })], {
    ledger: { record: (row) => record(row) ?? undefined },
  });
  const call = executor.execute("T", {}, { callId: "x" });
  assert.equal(executor.cancel("x", "not now"), true);
  written.resolve();
  const result = await call;
  assert.equal(result.status, "cancelled");
  assert.match(result.status === "cancelled" ? result.finalText : "", /not now/);
  assert.equal(executor.cancel("x"), false);
});

test("of two calls with one id, the other can still be stopped after one ends", async () => {
  const executor = executorWith([
    defineTool({ ...reads, name: "Long", execute: () => new Promise(() => {}) }),
    defineTool({ ...reads, name: "Short", execute: async () => "short" }),
  ]);
  const long = executor.execute("Long", {}, { callId: "call_1" });
  await executor.execute("Short", {}, { callId: "call_1" });
  assert.equal(executor.cancel("call_1"), true);
  assert.equal((await long).status, "cancelled");
  assert.equal(executor.gate.activeCalls.length, 0);
});

test("a request's approval settings also apply to the sub-calls of a single call", async () => {
  const asked: string[] = [];
  const executor = executorWith(
    [
      defineTool({
        ...reads,
        name: "Parent",
        execute: async (_args, { callTool }) => (await callTool("Child", {})).status,
      }),
      defineTool({ ...reads, name: "Child", execute: () => "done" }),
    ],
    {
      approvals: {
        request: ({ toolName }) => {
          asked.push(toolName);
          return { decision: "allow" };
        },
      },
    },
  );
  await executor.execute("Parent", {}, { requireApproval: "always" });
  assert.deepEqual(asked, ["Parent", "Child"]);
});

test("a queued call does not start if its tool is disabled or forbidden", async () => {
  const hold = Promise.withResolvers<void>();
  const ran: string[] = [];
  const overrides: PolicyRule[] = [];
  const writes = { ...reads, effects: "write" } as const;
  const executor = executorWith(
    [
      defineTool({ ...writes, name: "Hold", execute: () => hold.promise }),
      defineTool({ ...writes, name: "Off", execute: () => ran.push("off") }),
      defineTool({ ...writes, name: "Forbidden", execute: () => ran.push("forbidden") }),
      defineTool({ ...writes, name: "Fine", execute: () => ran.push("fine") }),
    ],
    { overrides: () => overrides },
  );
  const calls = ["Hold", "Off", "Forbidden", "Fine"].map((name) => executor.execute(name, {}));
  executor.setToolEnabled("Off", false);
  overrides.push({ tool: "test.Forbidden", execution: "deny" });
  hold.resolve();
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assert.deepEqual(statuses, ["success", "cancelled", "cancelled", "success"]);
  assert.deepEqual(ran, ["fine"]);
});
