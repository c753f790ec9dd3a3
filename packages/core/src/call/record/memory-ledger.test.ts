import assert from "node:assert/strict";
import { test } from "node:test";
import { digest } from "../../json/json-value.ts";
import { ledgerJournal } from "../../chain/journal/journal.ts";
import { runToolChain } from "../../chain/run-tool-chain.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { CallRecord } from "./call-record.ts";
import { argumentsDigest, type Ledger, MemoryLedger } from "./ledger.ts";

const parameters = { type: "object", properties: { n: { type: "integer" } } } as const;
const count = defineTool({
  ...reads,
  name: "Count",
  parameters,
  execute: ({ n }) => `n=${String(n)}`,
});
const nest = defineTool({
  ...reads,
  name: "Nest",
  execute: (_args, context) => context.callTool("Count", { n: 2 }),
});

// Contract: executor-50, executor-59, executor-126, executor-127, executor-129, executor-130
test("each state of a call is stored, with its repaired arguments and its decision", async () => {
  const clock = new FakeClock(1_000);
  const rows: CallRecord[] = [];
  const ledger: Ledger = { record: (call) => void rows.push(call) };
  const asks = defineTool({
    name: "Asks",
    description: "",
    parameters,
    execute: () => {
      clock.advance(7);
      return "x".repeat(20_000);
    },
  });
  const approvals = {
    request: () => {
      clock.advance(500);
      return { decision: "allow" } as const;
    },
  };
  const executor = executorWith([asks], { ledger, clock, approvals });
  await executor.execute("Asks", '{"n":"5",}', { callId: "call_1" });
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["waiting", "approved", "started", "succeeded"],
  );
  const row = rows.at(-1)!;
  assert.equal(row.idempotencyKey, "call_1");
  assert.equal(row.argumentsText, '{"n":"5",}');
  assert.deepEqual(row.args, { n: 5 });
  assert.equal(row.repairs.length, 2);
  assert.deepEqual(row.decision, { verdict: "allowed", by: "person" });
  assert.deepEqual(
    [row.proposedAt, row.decidedAt, row.startedAt, row.endedAt],
    [1_000, 1_500, 1_500, 1_507],
  );
  assert.equal(row.result?.durationMs, 7, "a call's duration does not include the user's time");
  assert.equal(argumentsDigest(row), digest({ n: 5 }));
  const { shown, withheld } = row.result.tokens;
  assert.ok(shown > 1_900 && withheld > 2_500, `${shown} shown, ${withheld} withheld`);
});

// Contract: executor-132, executor-186
test("a rejected or unknown call is stored once; a sub-call is stored under its parent", async () => {
  const ledger = new MemoryLedger();
  const executor = executorWith([count, nest], { ledger });
  await executor.execute("Nobody", {}, { callId: "a" });
  await executor.execute("Count", { n: "many" }, { callId: "b" });
  await executor.execute("Nest", {}, { callId: "c" });
  assert.deepEqual(
    ledger.list().map(({ name, status, parentCallId }) => [name, status, parentCallId]),
    [
      ["Nobody", "not_found", undefined],
      ["Count", "failed", undefined],
      ["Nest", "succeeded", undefined],
      ["Count", "succeeded", "c"],
    ],
  );
  assert.equal(argumentsDigest(ledger.get("a")!), undefined);
});

// Contract: executor-99, executor-133
test("a tool is called only after its start was stored", async () => {
  let ran = 0;
  const tool = defineTool({ ...reads, name: "T", execute: () => ++ran });
  const slow = Promise.withResolvers<void>();
  const executor = executorWith([tool], {
    ledger: { record: ({ status }) => (status === "started" ? slow.promise : undefined) },
  });
  const first = executor.execute("T", {});
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(ran, 0);
  slow.reject(new Error("disk full"));
  await assert.rejects(first, /disk full/);
  assert.equal(ran, 0);
  assert.equal(executor.gate.activeCalls.length, 0);
});

// Contract: executor-133
test("a call that could not be recorded releases its locks", async () => {
  let fails = true;
  const tool = defineTool({ ...reads, name: "T", effects: "write", execute: () => "ok" });
  const executor = executorWith([tool], {
    limits: { callsAtOnce: 1 },
    ledger: {
      record: ({ status }) => {
        if (fails && status === "started") throw new Error("disk full");
      },
    },
  });
  await assert.rejects(executor.execute("T", {}), /disk full/);
  fails = false;
  assert.equal((await executor.execute("T", {})).status, "success");
});

// Contract: executor-134
test("a full ledger evicts the oldest calls that have ended", async () => {
  const ledger = new MemoryLedger({ capacity: 2 });
  const hang = defineTool({ ...reads, name: "Hang", execute: () => new Promise(() => {}) });
  const executor = executorWith([count, hang], { ledger });
  const running = executor.execute("Hang", {}, { callId: "hanging" });
  for (const callId of ["a", "b", "c"]) await executor.execute("Count", {}, { callId });
  assert.deepEqual(
    ledger.list().map(({ callId }) => callId),
    ["hanging", "c"],
  );
  executor.cancelAll();
  await running;
});

// Contract: executor-128
test("a chain's calls can be stored in a ledger", async () => {
  const ledger = new MemoryLedger();
  const chain = runToolChain({
    executor: executorWith([count]),
    model: new ScriptedModel([{ calls: [{ name: "Count", args: { n: 1 } }] }, "done"]),
    contextMessages: [],
    journal: ledgerJournal(ledger),
    runId: "run_1",
  });
  await chain.result;
  assert.deepEqual(
    ledger.list().map(({ status, idempotencyKey }) => [status, idempotencyKey]),
    [["succeeded", "run_1/call_1"]],
  );
});

test("a ledger full of waiting calls is not scanned for each new call", () => {
  const ledger = new MemoryLedger({ capacity: 80 });
  let looks = 0;
  const waiting = (callId: string) =>
    ({
      callId,
      get status() {
        looks++;
        return "waiting";
      },
    }) as unknown as CallRecord;
  for (let n = 0; n < 800; n++) ledger.record(waiting(`${n}`));
  assert.equal(ledger.list().length, 800, "calls that have not ended are not evicted");
  assert.ok(looks < 80 * 800, `${looks} calls were examined`);
  for (const { callId } of ledger.list())
    ledger.record({ callId, status: "succeeded" } as CallRecord);
  for (let n = 0; n < 20; n++) ledger.record(waiting(`more ${n}`));
  assert.ok(ledger.list().length <= 80);
});
