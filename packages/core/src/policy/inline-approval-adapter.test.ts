import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolExecutorOptions } from "../call/tool-executor.ts";
import { runToolChain } from "../chain/run-tool-chain.ts";
import { executorWith } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolPermission } from "../tool/tool.ts";
import { InlineApprovalAdapter } from "./inline-approval-adapter.ts";

function asking(permission: ToolPermission = {}, options: ToolExecutorOptions = {}) {
  const approvals = new InlineApprovalAdapter();
  const tool = defineTool({
    name: "Write",
    description: "",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    permission,
    effects: "read",
    execute: ({ n }) => `written ${String(n)}`,
  });
  const executor = executorWith([tool], { approvals, ...options });
  return { approvals, executor };
}
const allow = { decision: "allow" } as const;

// Contract: executor-142
test("the list of requests changes its identity exactly when it changes", async () => {
  const { approvals, executor } = asking();
  let changes = 0;
  const { subscribe } = approvals;
  const unsubscribe = subscribe(() => changes++);
  const empty = approvals.pending;
  assert.equal(approvals.pending, empty);
  const call = executor.execute("Write", { n: 1 });
  const { pending } = approvals;
  assert.notEqual(pending, empty);
  assert.equal(approvals.pending, pending);
  assert.deepEqual(
    [pending[0]?.type, pending[0]?.request.toolName, changes],
    ["execution", "Write", 1],
  );
  await approvals.answer(pending[0]!.id, allow);
  assert.equal((await call).status, "success");
  assert.deepEqual([approvals.pending.length, changes], [0, 2]);
  unsubscribe();
  const last = executor.execute("Write", { n: 2 });
  assert.equal(changes, 2);
  approvals.cancelAll();
  await last;
});

// Contract: executor-143
test("the first answer counts, and later answers return its outcome", async () => {
  const { approvals, executor } = asking();
  const call = executor.execute("Write", { n: 1 });
  const { id } = approvals.pending[0]!;
  const refuse = { decision: "refuse", reason: "no" } as const;
  const outcomes = await Promise.all([
    approvals.answer(id, refuse),
    approvals.answer(id, allow),
    approvals.answer("none", allow),
  ]);
  assert.deepEqual(outcomes, [
    { status: "answered", decision: refuse },
    { status: "already_answered", decision: refuse },
    { status: "not_found" },
  ]);
  assert.equal((await call).status, "execution_rejected");
  assert.deepEqual(await approvals.answer(id, allow), outcomes[1]);
});

test("an invalid answer returns the reason, and the request remains open", async () => {
  const { approvals, executor } = asking(
    {},
    { rules: [{ tool: "*", when: { n: { min: 100 } }, execution: "deny", reason: "too many" }] },
  );
  const call = executor.execute("Write", { n: 1 });
  const { id } = approvals.pending[0]!;
  const messages: unknown[] = [];
  for (const word of [
    { ...allow, arguments: { n: "many" } },
    { ...allow, arguments: { n: 100 } },
    { ...allow, scope: "session", covers: { type: "pattern", when: { n: 2 } } },
    { decision: "perhaps" },
  ]) {
    const outcome = await approvals.answer(id, word as typeof allow);
    messages.push(outcome.status === "invalid" ? outcome.message : outcome.status);
    assert.equal(approvals.pending[0]?.id, id);
  }
  assert.match(String(messages[0]), /^arguments: .*n/s);
  assert.match(String(messages[1]), /not allowed: too many/);
  assert.match(String(messages[2]), /^covers.when: this pattern does not cover/);
  assert.match(String(messages[3]), /^decision: expected/);
  await approvals.answer(id, { ...allow, arguments: { n: 5 } });
  const result = await call;
  assert.equal(result.status === "success" && result.data, "written 5");
});

// Contract: executor-145, executor-227, executor-246
test("a request is removed when its call is stopped, and a later answer returns that decision", async () => {
  const { approvals, executor } = asking();
  const stop = new AbortController();
  const call = executor.execute("Write", { n: 1 }, { signal: stop.signal });
  const { id } = approvals.pending[0]!;
  stop.abort();
  assert.equal((await call).status, "cancelled");
  assert.equal(approvals.pending.length, 0);
  const late = await approvals.answer(id, allow);
  assert.equal(late.status === "already_answered" && late.decision.decision, "refuse");
});

// Contract: executor-145
test("an expired request is removed, and a later answer returns that decision", async () => {
  const clock = new FakeClock(0);
  const { approvals, executor } = asking({ approvalMs: 1_000 }, { clock });
  const call = executor.execute("Write", { n: 1 });
  const { id } = approvals.pending[0]!;
  clock.advance(1_000);
  const result = await call;
  assert.match(
    result.status === "execution_rejected" ? result.finalText : "",
    /no user answered in time/,
  );
  assert.equal(approvals.pending.length, 0);
  const late = await approvals.answer(id, allow);
  assert.match(JSON.stringify(late), /already_answered.*no user answered in time/);
});

// Contract: executor-145
test("a withdrawn request is rejected by the system", async () => {
  const { approvals, executor } = asking();
  const calls = [1, 2].map((n) => executor.execute("Write", { n }));
  assert.equal(approvals.cancel(approvals.pending[0]!.id), true);
  assert.equal(approvals.cancel("none"), false);
  approvals.cancelAll("the window was closed");
  const results = await Promise.all(calls);
  assert.deepEqual(
    results.map((result) => result.status === "execution_rejected" && result.rejectReason),
    ["the request was withdrawn", "the window was closed"],
  );
  assert.equal(executor.gate.grants.list().length, 0);
});

test("an answer for the session also answers the other open requests that it covers", async () => {
  const { approvals, executor } = asking();
  const calls = [1, 2, 300].map((n) => executor.execute("Write", { n }));
  const covers = { type: "pattern", when: { n: { max: 10 } } } as const;
  await approvals.answer(approvals.pending[0]!.id, { ...allow, scope: "session", covers });
  assert.deepEqual(
    (await Promise.all(calls.slice(0, 2))).map(({ status }) => status),
    ["success", "success"],
  );
  assert.deepEqual(
    approvals.pending.map(({ request }) => request.args),
    [{ n: 300 }],
  );
  approvals.cancelAll();
  await calls[2];
});

test("in a turn, a call that another answer covers names the grant", async () => {
  const { approvals, executor } = asking();
  const calls = [1, 2].map((n) => ({ name: "Write", args: { n } }));
  const run = runToolChain({
    executor,
    model: new ScriptedModel([{ calls }, "done"]),
    contextMessages: [],
  });
  const decisions: unknown[] = [];
  for await (const event of run.events()) {
    if (event.type === "approval.requested" && approvals.pending.length === 2)
      await approvals.answer(approvals.pending[0]!.id, { ...allow, scope: "session" });
    if (event.type === "approval.answered") decisions.push(event.decision);
  }
  assert.deepEqual(decisions, [
    { verdict: "allowed", by: "person" },
    { verdict: "allowed", by: "grant", reason: "every call of Write" },
  ]);
});

// Contract: executor-144
test("results are shown before the model reads them, and withheld if their call stops", async () => {
  const { approvals, executor } = asking({
    executionPolicy: "auto",
    resultApprovalPolicy: "always",
  });
  const reviewed = Promise.withResolvers<void>();
  const done = approvals.subscribe(() => reviewed.resolve());
  const first = executor.execute("Write", { n: 1 });
  await reviewed.promise;
  done();
  const [pending] = approvals.pending;
  assert.equal(pending?.type, "result");
  const wrong = await approvals.answer(pending.id, allow);
  assert.match(JSON.stringify(wrong), /invalid.*release, redact/);
  await approvals.answer(pending.id, { decision: "redact", words: ["1"] });
  const result = await first;
  assert.equal(result.status === "success" && result.data, "written [redacted]");

  const again = Promise.withResolvers<void>();
  approvals.subscribe(() => again.resolve());
  const stop = new AbortController();
  const second = executor.execute("Write", { n: 2 }, { signal: stop.signal });
  await again.promise;
  stop.abort();
  assert.equal((await second).status, "result_rejected");
  assert.equal(approvals.pending.length, 0);
});

test("a listener that throws does not affect the decision", async () => {
  const { approvals, executor } = asking();
  approvals.subscribe(() => {
    throw new Error("the view crashed");
  });
  const call = executor.execute("Write", { n: 1 });
  await approvals.answer(approvals.pending[0]!.id, allow);
  assert.equal((await call).status, "success");
});
