import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { CallRecord } from "./record/call-record.ts";

interface Made {
  readonly description?: string;
  readonly runs?: unknown[];
}

function installation({ description = "Does it.", runs = [] }: Made = {}) {
  const tool = defineTool({
    name: "T",
    description,
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    execute: (args: unknown) => {
      runs.push(args);
      return "ran";
    },
  });
  return executorWith([tool], { approvals: { request: () => ({ decision: "pending" }) } });
}

async function waiting(runs: unknown[] = []) {
  const executor = installation({ runs });
  const result = await executor.execute("T", { n: 1 }, { callId: "call_1" });
  assert.ok(result.status === "pending" && result.waitsFor === "approval");
  return { executor, record: result.record };
}

/** Returns a record in the form that another process reads. */
const stored = (record: CallRecord) => JSON.parse(JSON.stringify(record)) as CallRecord;

// Contract: executor-42
test("a later answer, also in another process, runs the waiting call with its stored arguments", async () => {
  const { record } = await waiting();
  const runs: unknown[] = [];
  const result = await installation({ runs }).answerApproval(stored(record), {
    decision: "allow",
  });
  assert.ok(result.status === "success" && result.callId === "call_1");
  assert.deepEqual(runs, [{ n: 1 }]);
});

test("a later rejection ends the call; edited arguments run in place of the requested ones", async () => {
  const runs: unknown[] = [];
  const first = await waiting(runs);
  const refused = await first.executor.answerApproval(first.record, {
    decision: "refuse",
    reason: "not today",
  });
  assert.ok(refused.status === "execution_rejected" && refused.rejectReason === "not today");
  const second = installation({ runs });
  const edited = { decision: "allow", arguments: { n: 2 } } as const;
  const result = await second.answerApproval(stored(first.record), edited);
  assert.equal(result.status, "success");
  assert.deepEqual(runs, [{ n: 2 }]);
});

test("an invalid answer is rejected with a reason, and the call still waits", async () => {
  const runs: unknown[] = [];
  const { executor, record } = await waiting(runs);
  const refusal = (changed: CallRecord, reason: RegExp, to = executor) =>
    assert.rejects(to.answerApproval(changed, { decision: "allow" }), (thrown: Error) => {
      assert.equal((thrown as Error & { code?: string }).code, "not_awaited");
      return reason.test(thrown.message);
    });
  await refusal({ ...record, args: { n: 9 } }, /its arguments changed/);
  await refusal({ ...record, status: "succeeded" }, /it is succeeded/);
  await refusal(stored(record), /its tool changed/, installation({ description: "Does more." }));
  await refusal({ ...record, toolId: "test.Gone" }, /test\.Gone is not registered/);
  const bad = { decision: "allow", arguments: { n: "x" } } as const;
  await assert.rejects(executor.answerApproval(record, bad), /cannot be answered this way/);
  assert.deepEqual(runs, []);
  assert.equal((await executor.answerApproval(record, { decision: "allow" })).status, "success");
  await refusal(record, /it was answered/);
  assert.deepEqual(runs, [{ n: 1 }]);
});

test("the first of two simultaneous answers counts", async () => {
  const runs: unknown[] = [];
  const { executor, record } = await waiting(runs);
  const answers = await Promise.allSettled([
    executor.answerApproval(record, { decision: "allow" }),
    executor.answerApproval(record, { decision: "refuse" }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
  assert.deepEqual(runs, [{ n: 1 }]);
});
