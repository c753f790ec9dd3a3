import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "../call/record/call-record.ts";
import type { ApprovalAdapter } from "../policy/approval.ts";
import type { ReviewAnswer } from "../policy/review.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { ChainEvent } from "./journal/chain-event.ts";
import type { JournalWrite } from "./journal/journal.ts";
import { runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const later: ApprovalAdapter = {
  request: () => ({ decision: "pending" }),
  review: () => ({ decision: "pending" }),
};

/** A tool whose results are reviewed, and the number of its runs. */
function secretTool() {
  const ran = { times: 0 };
  const tool = defineTool({
    ...reads,
    name: "Secret",
    effects: "write",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: (_args, { output }) => {
      ran.times++;
      output.write("it is tulip");
      return "the password is tulip";
    },
  });
  return { tool, ran };
}

function start(
  tools: readonly Tool[],
  script: readonly ScriptedStep[],
  more: Partial<ToolChainOptions> = {},
) {
  const writes: JournalWrite[] = [];
  const events: ChainEvent[] = [];
  const executor = executorWith(tools, { approvals: later });
  const model = new ScriptedModel(script);
  const run = runToolChain({
    executor,
    model,
    contextMessages: [],
    journal: {
      commit: (batch) => {
        writes.push(...batch);
        return { status: "committed" };
      },
    },
    onEvent: (event) => events.push(event),
    ...more,
  });
  /** All stored data, without the parts that only the reviewer may read. */
  const open = () =>
    JSON.stringify([
      writes.map((write) =>
        write.type === "call" ? { ...write.call, quarantine: undefined } : write,
      ),
      events,
      model.requests,
      executor.variables.snapshot(),
    ]);
  const last = (callId: string) =>
    writes.findLast(
      (write): write is Extract<JournalWrite, { type: "call" }> =>
        write.type === "call" && write.call.callId === callId,
    )?.call as CallRecord;
  return { run, writes, events, model, executor, open, last };
}

const secretCall = { calls: [{ name: "Secret", id: "c1" }] };

// Contract: executor-66
test("a chain is suspended for a review, and another process settles it without running the tool again", async () => {
  const { tool, ran } = secretTool();
  const first = start([tool], [secretCall]);
  const suspended = await first.run.result;
  assert.equal(suspended.status, "requires_action");
  const waiting = suspended.waiting[0];
  assert.ok(waiting?.type === "review");
  assert.equal(waiting.review.toolId, "test.Secret");
  assert.doesNotMatch(first.open(), /tulip/);
  assert.doesNotMatch(JSON.stringify([suspended.waiting, suspended.responseContent]), /tulip/);
  assert.match(JSON.stringify(first.last("c1").quarantine), /tulip/);

  const state = JSON.parse(JSON.stringify(suspended.state)) as typeof suspended.state;
  const reviews = [{ callId: "c1", decision: { decision: "redact", words: ["tulip"] } }] as const;
  const second = start([tool], ["done"], { resume: { state, reviews } });
  const result = await second.run.result;
  assert.equal(result.status, "completed");
  assert.equal(ran.times, 1);
  assert.equal(second.model.requests[0]?.messages.at(-1)?.content, "the password is [redacted]");
  assert.doesNotMatch(JSON.stringify(second.writes), /tulip/);
  const types = second.events.map(({ type }) => type);
  assert.ok(types.indexOf("review.answered") < types.indexOf("call.settled"));
});

// Contract: executor-66
test("a chain that resumes without an answer keeps waiting, with its result in quarantine", async () => {
  const { tool, ran } = secretTool();
  const suspended = await start([tool], [secretCall]).run.result;
  const again = start([tool], [], { resume: { state: suspended.state } });
  const result = await again.run.result;
  assert.equal(result.status, "requires_action");
  assert.equal(result.waiting[0]?.type, "review");
  assert.match(JSON.stringify(result.state.calls[0]?.quarantine), /tulip/);
  assert.equal(ran.times, 1);
});

// Contract: executor-67
test("the round's other calls continue while a result waits, and the first answer counts", async () => {
  const { tool } = secretTool();
  const slow = Promise.withResolvers<string>();
  const other = defineTool({
    ...reads,
    name: "Other",
    effects: "exclusive",
    execute: () => slow.promise,
  });
  const script = [
    {
      calls: [
        { name: "Secret", id: "c1" },
        { name: "Other", id: "c2" },
      ],
    },
    "done",
  ];
  const { run, events, open, last } = start([tool, other], script);
  while (!events.some((event) => event.type === "call.started" && event.callId === "c2"))
    await new Promise(setImmediate);
  const { review } = last("c1");
  assert.ok(review !== undefined);
  assert.equal(run.answerReview("another", { decision: "release" }), false);
  assert.equal(run.answerReview(review.id, { decision: "withhold", reason: "private" }), true);
  assert.equal(run.answerReview(review.id, { decision: "release" }), false);
  slow.resolve("slow");
  assert.equal((await run.result).status, "completed");
  assert.equal(last("c1").status, "result_rejected");
  assert.equal(last("c1").quarantine, undefined);
  assert.equal(last("c2").status, "succeeded");
  assert.doesNotMatch(open(), /tulip/);
});

// Contract: executor-68, loop-37
test("a chain that is stopped or closed withholds results that were not reviewed", async () => {
  const { tool } = secretTool();
  const slow = defineTool({ ...reads, name: "Slow", execute: () => new Promise(() => {}) });
  const script = [{ calls: [{ name: "Secret", id: "c1" }, { name: "Slow" }] }];
  const stopped = start([tool, slow], script);
  while (stopped.last("c1")?.quarantine === undefined) await new Promise(setImmediate);
  stopped.run.abort("enough");
  await stopped.run.result;
  assert.equal(stopped.last("c1").status, "result_rejected");
  assert.equal(stopped.last("c1").quarantine, undefined);

  const suspended = await start([tool], [secretCall]).run.result;
  const close = { code: "aborted", message: "a user stopped it", phase: "chain" } as const;
  const closed = start([], [], { resume: { state: suspended.state, close } });
  await closed.run.result;
  assert.equal(closed.last("c1").status, "result_rejected");
  assert.doesNotMatch(JSON.stringify(closed.writes), /tulip/);
});

// Contract: executor-68
test("a single call that waits for its reviewer can be stopped", async () => {
  const { tool } = secretTool();
  const slow = Promise.withResolvers<string>();
  const other = defineTool({ ...reads, name: "Other", execute: () => slow.promise });
  const script = [{ calls: [{ name: "Secret", id: "c1" }, { name: "Other" }] }, "done"];
  const { run, last } = start([tool, other], script);
  while (last("c1")?.quarantine === undefined) await new Promise(setImmediate);
  assert.equal(run.cancelCall("c1"), true);
  slow.resolve("ran");
  assert.equal((await run.result).status, "completed");
  assert.equal(last("c1").status, "result_rejected");
});

// Contract: executor-70
test("a script waits for the review of its sub-call, and gets the released result", async () => {
  const { tool } = secretTool();
  const script = defineTool({
    ...reads,
    name: "Script",
    timeoutMs: 60_000,
    execute: async (_args, { callTool }) => {
      const result = await callTool("Secret", {});
      return result.status === "success" ? result.finalText : result.status;
    },
  });
  const { run, events, open, model } = start(
    [tool, script],
    [{ calls: [{ name: "Script" }] }, "done"],
  );
  const requested = () => events.find((event) => event.type === "review.requested");
  while (requested() === undefined) await new Promise(setImmediate);
  assert.doesNotMatch(open(), /tulip/);
  const event = requested();
  assert.ok(event?.type === "review.requested");
  assert.equal(run.answerReview(event.review.id, { decision: "replace", text: "a secret" }), true);
  await run.result;
  assert.equal(model.requests[1]?.messages.at(-1)?.content, "a secret");
  assert.doesNotMatch(open(), /tulip/);
});

test("a result is withheld if its tool was removed before the review", async () => {
  const { tool } = secretTool();
  const suspended = await start([tool], [secretCall]).run.result;
  const reviews = [{ callId: "c1", decision: { decision: "release" } }] as const;
  const other = defineTool({ ...reads, name: "Other", execute: () => 1 });
  const second = start([other], ["done"], { resume: { state: suspended.state, reviews } });
  await second.run.result;
  assert.equal(second.last("c1").status, "result_rejected");
  assert.doesNotMatch(JSON.stringify(second.writes), /tulip/);
});

// Contract: executor-69
test("a final tool's text is shown unchanged after its release", async () => {
  const answer = defineTool({
    ...reads,
    name: "Answer",
    final: true,
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: (_args, { output }) => {
      output.write("The password is tulip.");
    },
  });
  const first = start([answer], [{ calls: [{ name: "Answer", id: "c1" }] }]);
  const suspended = await first.run.result;
  assert.equal(suspended.status, "requires_action");
  assert.doesNotMatch(first.open(), /tulip/);
  const began = first.events.filter(({ type }) => type === "item.start").length;
  assert.equal(first.events.filter(({ type }) => type === "item.end").length, began);

  const reviews = [{ callId: "c1", decision: { decision: "redact", words: ["tulip"] } }] as const;
  const second = start([answer], [], { resume: { state: suspended.state, reviews } });
  const result = await second.run.result;
  assert.equal(result.answer, "The password is [redacted].");
  const texts = second.events.flatMap((event) => (event.type === "item.end" ? [event.text] : []));
  assert.deepEqual(texts, ["The password is [redacted]."]);
  assert.doesNotMatch(JSON.stringify(second.writes), /tulip/);
});

test("the time limit does not end a review", async () => {
  const { tool } = secretTool();
  const clock = new FakeClock();
  const word = Promise.withResolvers<ReviewAnswer>();
  const looking = Promise.withResolvers<void>();
  const executor = executorWith([tool], {
    clock,
    approvals: {
      ...later,
      review: () => {
        looking.resolve();
        return word.promise;
      },
    },
  });
  const { run, last } = start([], [secretCall, "done"], {
    executor,
    maxDurationMs: 1_000,
  });
  await looking.promise;
  clock.advance(2_000);
  word.resolve({ decision: "release" });
  await run.result;
  assert.equal(last("c1").status, "succeeded");
});
