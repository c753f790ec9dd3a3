import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { executorWith, reads } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import { Call } from "./driver.ts";
import type { ActiveCall, Answer, CallChange, CallHost, PendingRequest } from "./gate/call-host.ts";

const actions = [
  "stop",
  "stopSub",
  "allow",
  "refuse",
  "later",
  "toolEnds",
  "commit",
  "turn",
] as const;
type Action = (typeof actions)[number];

interface Shape {
  readonly tool: "Plain" | "Asks" | "Reviewed" | "Parent";
  /** Commits wait until they are released. */
  readonly slowCommits: boolean;
  /** The last call may also be stopped, be answered or end within a commit. */
  readonly inCommit: Action | undefined;
}

const shape = fc.record<Shape>({
  tool: fc.constantFrom("Plain", "Asks", "Reviewed", "Parent"),
  slowCommits: fc.boolean(),
  inCommit: fc.option(fc.constantFrom<Action>("stop", "allow", "toolEnds"), { nil: undefined }),
});

const turn = () => new Promise(setImmediate);

/** A call whose host, users and tool follow only the test's actions. */
function world({ tool, slowCommits, inCommit }: Shape) {
  const changes = new Map<string, CallChange[]>();
  /** Calls in the order in which they settled. */
  const settled: string[] = [];
  const committing = new Set<string>();
  const commits: (() => void)[] = [];
  const asked: {
    pending: PendingRequest;
    call: ActiveCall;
    resolve: (a: Answer | "later") => void;
  }[] = [];
  const tools: (() => void)[] = [];
  const runs = () => new Promise<string>((resolve) => tools.push(() => resolve("done")));
  const asks = { permission: { executionPolicy: "ask-always" } } as const;
  const reviewed = {
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
  } as const;
  const executor = executorWith([
    defineTool({ ...reads, name: "Plain", effects: "write", execute: runs }),
    defineTool({ ...reads, ...asks, name: "Asks", effects: "write", execute: runs }),
    defineTool({ ...reads, ...reviewed, name: "Reviewed", effects: "write", execute: runs }),
    defineTool({
      ...reads,
      name: "Parent",
      effects: "write",
      execute: async (_args, { callTool }) => {
        void callTool("Plain", {});
        await Promise.all([callTool("Asks", {}), callTool("Reviewed", {})]);
        return (await callTool("Plain", {})).status;
      },
    }),
    defineTool({ ...reads, name: "Alone", effects: "exclusive", execute: () => "alone" }),
  ]);
  const host: CallHost = {
    commit(change) {
      const { callId } = change.record;
      assert.ok(!committing.has(callId), "two commits of one call overlap");
      changes.set(callId, [...(changes.get(callId) ?? []), change]);
      if (change.step === "settled") settled.push(callId);
      committing.add(callId);
      if (inCommit !== undefined) act(inCommit);
      if (!slowCommits) {
        committing.delete(callId);
        return true;
      }
      return new Promise((resolve) => {
        commits.push(() => {
          committing.delete(callId);
          resolve(true);
        });
      });
    },
    request: (pending, asking) =>
      new Promise((resolve) => asked.push({ pending, call: asking, resolve })),
    onOutput() {},
  };
  const { gate, scheduler } = executor;
  const call = new Call({ gate, scheduler, host, caller: gate.caller }, "call_1");
  const answerOf = ({ kind }: PendingRequest, allow: boolean): Answer =>
    kind === "approval"
      ? { decision: allow ? "allow" : "refuse" }
      : { decision: allow ? "release" : "withhold" };

  function act(action: Action): void {
    switch (action) {
      case "stop":
        return call.stop("stopped by the test");
      case "stopSub":
        return [...call.children].at(0)?.stop("stopped by the test");
      case "allow":
      case "refuse":
        for (const one of [call, ...call.children])
          if (one.pending !== undefined) one.answer(answerOf(one.pending, action === "allow"));
        return undefined;
      case "later":
        return asked.shift()?.resolve("later");
      case "toolEnds":
        return tools.shift()?.();
      case "commit":
        return commits.shift()?.();
      case "turn":
        return undefined;
    }
  }

  /** Runs all remaining actions. */
  async function finish(): Promise<void> {
    for (let n = 0; n < 100 && (call.end === undefined || call.end.status === "suspended"); n++) {
      for (const action of ["commit", "toolEnds", "later", "refuse"] as const) {
        act(action);
        await turn();
      }
    }
    while (commits.length > 0) commits.shift()?.();
    await turn();
  }

  const start = () => {
    const request = { callId: "call_1", name: tool, args: {}, round: 0, idempotencyKey: "call_1" };
    call.start({ at: "propose", request });
  };
  return { executor, call, changes, settled, act, start, finish };
}

const inOrder = ["proposed", "answered", "started", "in_review", "settled"];
const steps = fc.array(fc.constantFrom(...actions), { maxLength: 14 });

// Contract: executor-111
test("each call settles once, in any order of stops, answers, commits and tool ends", async () => {
  await fc.assert(
    fc.asyncProperty(shape, steps, async (given, order) => {
      const { executor, call, changes, settled, act, start, finish } = world(given);
      start();
      for (const action of order) {
        act(action);
        if (action === "turn" || action === "commit") await turn();
      }
      await finish();

      assert.equal(call.end?.status, "settled");
      assert.deepEqual(settled.toSorted(), [...changes.keys()].toSorted(), "each once");
      assert.equal(settled.at(-1), "call_1", "sub-calls settle before their parent");
      for (const made of changes.values()) {
        const names = made.map(({ step }) => step);
        const places = names.map((step) => inOrder.indexOf(step));
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
          names.join(),
        );
      }
      // No locks and no active calls remain: an exclusive call starts immediately.
      assert.equal(executor.gate.activeCalls.length, 0);
      assert.equal((await executor.execute("Alone", {})).status, "success");
      // A stop or an answer after the end changes nothing.
      const { end } = call;
      call.stop("too late");
      assert.equal(call.answer({ decision: "allow" }), false);
      assert.equal(call.end, end);
    }),
    { numRuns: 400 },
  );
});
