import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter } from "../../policy/approval.ts";
import type { ReviewAnswer, ReviewDecision, ReviewRequest } from "../../policy/review.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { contentParts, toolError } from "../../tool/return-value.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CallRecord } from "../record/call-record.ts";
import { MemoryLedger } from "../record/ledger.ts";
import type { ToolExecutorOptions } from "../tool-executor.ts";

const reviewed = {
  ...reads,
  permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
} as const;
const secret = defineTool({
  ...reviewed,
  name: "Secret",
  execute: () => ({ password: "tulip", host: "example.org" }),
});

function reviewer(
  review: (request: ReviewRequest, signal: AbortSignal) => unknown,
): ApprovalAdapter {
  return {
    request: () => ({ decision: "refuse" }),
    review: (request, signal) => review(request, signal) as ReviewAnswer,
  };
}

/** One call under review, and all its stored data. */
async function answered(tool: Tool, answer: unknown, options: ToolExecutorOptions = {}) {
  const ledger = new MemoryLedger();
  const asked: ReviewRequest[] = [];
  const approvals = reviewer((request) => {
    asked.push(request);
    return answer;
  });
  const executor = executorWith([tool], { ledger, approvals, ...options });
  const result = await executor.execute(tool.definition.function.name, {});
  const left = JSON.stringify([result, ledger.list(), executor.variables.snapshot()]);
  return { result, left, record: ledger.list()[0] as CallRecord, asked, executor };
}

// Contract: executor-7, executor-60, executor-103
test("the reviewer gets the full result and the model's text", async () => {
  const long = defineTool({ ...reviewed, name: "Long", execute: () => "line\n".repeat(5_000) });
  const { asked } = await answered(long, { decision: "release" });
  assert.equal(asked[0]?.text.length, 25_000);
  assert.match(asked[0]?.shown ?? "", /characters omitted/);
  assert.equal(asked[0]?.toolId, "test.Long");
  assert.equal(asked[0]?.isError, false);
  assert.match(asked[0]?.reason ?? "", /This tool requires a user to review/);
});

// Contract: executor-62
test("a released result is stored unchanged, with its data", async () => {
  const { result, record } = await answered(secret, { decision: "release" });
  assert.deepEqual(result.status === "success" && result.data, {
    password: "tulip",
    host: "example.org",
  });
  assert.equal(record.status, "succeeded");
  assert.deepEqual(record.reviewed, { outcome: "released", by: "person" });
  assert.equal(record.quarantine, undefined);
});

// Contract: executor-62
test("images and texts in another form are released unchanged", async () => {
  const parts = [{ type: "link", url: "https://example.org" }] as const;
  const link = defineTool({ ...reviewed, name: "Link", execute: () => contentParts([...parts]) });
  const shown = await answered(link, { decision: "release" });
  assert.deepEqual(shown.asked[0]?.parts, parts);
  assert.ok(shown.result.status === "success");
  assert.deepEqual(shown.result.parts, parts);
  const loud = defineTool({
    ...reviewed,
    name: "Loud",
    formatForLLM: (data) => data.toUpperCase(),
    execute: () => "quiet",
  });
  const { result } = await answered(loud, { decision: "release" });
  assert.ok(result.status === "success");
  assert.deepEqual([result.data, result.finalText], ["quiet", "QUIET"]);
});

// Contract: executor-63, executor-64
test("a redacted, replaced or withheld result leaves no data, error or retries", async () => {
  const failing = defineTool({
    ...reviewed,
    name: "Failing",
    retry: { attempts: 2, baseMs: 0 },
    execute: () =>
      toolError({
        code: "denied",
        message: "tulip is wrong",
        retryable: true,
        details: { tried: "tulip" },
      }),
  });
  for (const [answer, outcome, shown] of [
    [{ decision: "redact", words: ["tulip"] }, "redacted", /\[redacted\]/],
    [{ decision: "replace", text: "a host" }, "replaced", /^a host$/],
    [{ decision: "withhold", reason: "private" }, "withheld", /withheld.*private/],
  ] as const) {
    for (const tool of [secret, failing]) {
      const { result, left, record } = await answered(tool, answer);
      assert.doesNotMatch(left, /tulip/);
      assert.ok(result.status !== "pending");
      assert.match(result.finalText, shown);
      assert.equal(record.reviewed?.outcome, outcome);
    }
  }
});

// Contract: executor-62
test("the released result of a retried call lists its retries", async () => {
  let tries = 0;
  const flaky = defineTool({
    ...reviewed,
    name: "Flaky",
    retry: { attempts: 2, baseMs: 0 },
    execute: () => {
      if (++tries === 1) throw new Error("once");
      return "fine";
    },
  });
  const { record } = await answered(flaky, { decision: "release" });
  assert.equal(record.retries?.[0]?.message, "once");
});

// Contract: executor-65
test("an invalid or inapplicable answer withholds the result", async () => {
  for (const [what, answer] of Object.entries<unknown>({
    "that throws": new Proxy({}, { get: () => assert.fail("broken") }),
    "that is not a valid decision": "yes",
    "of another kind": { decision: "allow" },
    "without words": { decision: "redact" },
    "with no words": { decision: "redact", words: [] },
    "with a word that does not occur": { decision: "redact", words: ["tulip", "Tulpe"] },
    "with a value that is not a text": { decision: "replace", text: 3 },
  })) {
    const { result, left } = await answered(secret, answer);
    assert.equal(result.status, "result_rejected", what);
    assert.doesNotMatch(left, /password/, what);
  }
});

// Contract: executor-61
test("rules and overrides require reviews; a request overrides only the tool's own requirement", async () => {
  const plain = defineTool({ ...reads, name: "Plain", execute: () => "text" });
  const failing = defineTool({
    ...reads,
    name: "Failing",
    execute: () => toolError({ code: "no", message: "no" }),
  });
  const withhold: ReviewDecision = { decision: "withhold" };
  const isReviewed = async (tool: Tool, options: ToolExecutorOptions, lifted = false) => {
    const executor = executorWith([tool], { approvals: reviewer(() => withhold), ...options });
    const given = lifted ? { checkToolResults: false } : {};
    const { status } = await executor.execute(tool.definition.function.name, {}, given);
    return status === "result_rejected";
  };
  const ruleFor = (tool: string, result: "never" | "on-error" | "always") => [{ tool, result }];
  assert.equal(await isReviewed(plain, {}), false);
  assert.equal(await isReviewed(plain, { rules: ruleFor("*", "always") }), true);
  assert.equal(await isReviewed(plain, { overrides: ruleFor("test.Plain", "always") }), true);
  assert.equal(await isReviewed(plain, { rules: ruleFor("*", "on-error") }), false);
  assert.equal(await isReviewed(failing, { rules: ruleFor("*", "on-error") }), true);
  assert.equal(await isReviewed(secret, { rules: ruleFor("*", "never") }), false);
  assert.equal(
    await isReviewed(plain, { rules: ruleFor("*", "never"), overrides: ruleFor("*", "always") }),
    true,
  );
  assert.equal(
    await isReviewed(plain, { rules: ruleFor("*", "always"), overrides: ruleFor("*", "never") }),
    true,
  );
  assert.equal(await isReviewed(secret, {}, true), false);
  assert.equal(await isReviewed(plain, { rules: ruleFor("*", "always") }, true), true);
  assert.equal(await isReviewed(plain, { overrides: ruleFor("*", "always") }, true), true);
});

// Contract: executor-60
test("the reviewer reads a rule's own reason", async () => {
  const rules = [{ tool: "*", result: "always", reason: "Customers' data." }] as const;
  const { asked } = await answered(secret, { decision: "release" }, { rules });
  assert.match(asked[0]?.reason ?? "", /^An administrator's rule .*: Customers' data\.$/);
});

// Contract: executor-66
test("a result waits in the ledger until another process settles it", async () => {
  const first = await answered(secret, { decision: "pending" });
  assert.ok(first.result.status === "pending" && first.result.waitsFor === "review");
  assert.doesNotMatch(JSON.stringify(first.result.review), /tulip/);
  assert.doesNotMatch(JSON.stringify(first.executor.variables.snapshot()), /tulip/);
  assert.equal(first.record.status, "in_review");
  const record = JSON.parse(JSON.stringify(first.record)) as CallRecord;

  const never = { ...secret, execute: () => assert.fail("it ran twice") };
  const ledger = new MemoryLedger();
  const second = executorWith([never], { ledger });
  const result = await second.settleReviewed(record, { decision: "redact", words: ["tulip"] });
  assert.match(result.finalText, /\[redacted\].*example\.org/);
  assert.doesNotMatch(JSON.stringify([ledger.list(), second.variables.snapshot()]), /tulip/);
  await assert.rejects(
    second.settleReviewed(ledger.list()[0] as CallRecord, { decision: "release" }),
    { code: "not_in_review" },
  );
});

// Contract: executor-68
test("an expired review withholds the result and aborts the adapter's signal", async () => {
  const clock = new FakeClock();
  let shown: AbortSignal | undefined;
  const approvals = reviewer((_request, signal) => {
    shown = signal;
    return new Promise(() => {});
  });
  const executor = executorWith([secret], { approvals, clock, limits: { approvalMs: 1_000 } });
  const result = executor.execute("Secret", {});
  while (shown === undefined) await new Promise(setImmediate);
  clock.advance(1_001);
  const { status } = await result;
  assert.equal(status, "result_rejected");
  assert.equal(shown.aborted, true);
});

// Contract: executor-67
test("a call that waits for a review holds no slot and no lock, and can be stopped", async () => {
  let asked = 0;
  const approvals = reviewer(() => {
    asked++;
    return new Promise(() => {});
  });
  const other = defineTool({ ...reads, effects: "exclusive", name: "Other", execute: () => "ran" });
  const writes = { ...secret, effects: "write" } as const;
  const executor = executorWith([writes, other], { approvals, limits: { callsAtOnce: 1 } });
  const waiting = executor.execute("Secret", {}, { callId: "c1" });
  while (asked === 0) await new Promise(setImmediate);
  assert.equal((await executor.execute("Other", {})).status, "success");
  assert.equal(executor.cancel("c1"), true);
  const stopped = await waiting;
  assert.ok(stopped.status === "result_rejected");
  assert.match(stopped.rejectReason, /stopped before a user reviewed it/);
});

// Contract: executor-70
test("a script gets the result of a reviewed tool only as the reviewer released it", async () => {
  const seen: string[] = [];
  const script = defineTool({
    ...reads,
    name: "Script",
    execute: async (_args, { callTool }) => {
      const { finalText } = await callTool("Secret", {});
      seen.push(finalText);
      return "done";
    },
  });
  for (const answer of [{ decision: "redact", words: ["tulip"] }, { decision: "pending" }] as const)
    await executorWith([secret, script], { approvals: reviewer(() => answer) }).execute(
      "Script",
      {},
    );
  assert.match(seen[0] ?? "", /"password":"\[redacted\]"/);
  assert.match(seen[1] ?? "", /withheld.*the call that made it cannot wait/);
});

test("the first answer to a review counts: a withheld result cannot be released later", async () => {
  const { result, executor } = await answered(secret, { decision: "pending" });
  assert.ok(result.status === "pending" && result.waitsFor === "review");
  const { record } = result;
  const words: readonly ReviewDecision[] = [{ decision: "withhold" }, { decision: "release" }];
  const both = await Promise.allSettled(words.map((word) => executor.settleReviewed(record, word)));
  assert.deepEqual(
    both.map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
  assert.doesNotMatch(JSON.stringify(executor.variables.snapshot()), /tulip/);
});

test("an invalid review withholds the result, and its preview shows none of it", async () => {
  const odd: readonly unknown[] = [
    null,
    { decision: "redact", words: "tulip" },
    { decision: "redact", words: [5] },
    { decision: "replace" },
    { decision: "withhold", reason: 5 },
    { decision: "publish" },
  ];
  for (const word of odd) {
    const { result, executor } = await answered(secret, { decision: "pending" });
    assert.ok(result.status === "pending" && result.waitsFor === "review");
    const decision = word as ReviewDecision;
    assert.doesNotMatch(executor.previewReviewed(result.record, decision), /tulip/);
    const settled = await executor.settleReviewed(result.record, decision);
    assert.equal(settled.status, "result_rejected");
    assert.match(settled.finalText, /expected [^.]*\. Do without/);
  }
});
