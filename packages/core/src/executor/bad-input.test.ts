import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter } from "../policy/approval.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toolError } from "../tool/tool-error.ts";

const codeOf = async (tool: Tool, args: unknown = {}) => {
  const result = await executorWith([tool]).execute(tool.definition.function.name, args as never);
  return result.status === "pending" || result.status === "success"
    ? result.status
    : `${result.status} ${result.error.code}`;
};
const circular: { self?: unknown } = {};
circular.self = circular;

const returned: { readonly [what: string]: readonly [value: unknown, outcome: string] } = {
  "a circular object": [circular, "error unusable_result"],
  "a BigInt": [10n, "error unusable_result"],
  "a BigInt within": [{ n: 10n }, "error unusable_result"],
  "a function": [() => 1, "error unusable_result"],
  "a symbol": [Symbol("s"), "error unusable_result"],
  "a stream": [new ReadableStream(), "error unusable_result"],
  "an async generator": [(async function* () {})(), "error unusable_result"],
  undefined: [undefined, "success"],
  null: [null, "success"],
  "an invalid date": [new Date(NaN), "success"],
  "an object whose getter throws": [
    {
      get x() {
        throw new Error("no");
      },
    },
    "error unusable_result",
  ],
  "a promise of nothing": [Promise.resolve(), "success"],
  "an error with details that are no data": [
    toolError({ code: "odd", message: "odd", details: circular as never }),
    "error odd",
  ],
};
for (const [what, [value, outcome]] of Object.entries(returned)) {
  test(`a tool that returns ${what} ends as ${outcome}`, async () => {
    assert.equal(await codeOf(defineTool({ ...reads, name: "T", execute: () => value })), outcome);
  });
}

const callbacks: { readonly [what: string]: readonly [tool: Partial<Tool>, outcome: string] } = {
  "a formatter that throws": [
    {
      formatForLLM: () => {
        throw new Error("no");
      },
    },
    "error unusable_result",
  ],
  "a formatter that gives no text": [{ formatForLLM: () => 5 as never }, "error unusable_result"],
  "a cut that throws": [
    {
      truncateForLLM: () => {
        throw new Error("no");
      },
    },
    "success",
  ],
  "a check that throws": [
    {
      check: () => {
        throw new Error("no");
      },
    },
    "error check_failed",
  ],
  "an execute that throws undefined": [
    {
      execute: () => {
        // oxlint-disable-next-line typescript/only-throw-error -- tools of others do
        throw undefined;
      },
    },
    "error tool_threw",
  ],
};
for (const [what, [callback, outcome]] of Object.entries(callbacks)) {
  test(`${what} ends as ${outcome}`, async () => {
    const tool = defineTool({ ...reads, name: "T", execute: () => "x" });
    assert.equal(await codeOf({ ...tool, ...callback }), outcome);
  });
}

const given: { readonly [what: string]: readonly [args: unknown, outcome: string] } = {
  nothing: [undefined, "success"],
  null: [null, "error invalid_arguments"],
  "a list": [[1], "error invalid_arguments"],
  "a number": [5, "error invalid_arguments"],
  "a circular object": [circular, "error invalid_arguments"],
  "a BigInt": [{ n: 1n }, "error invalid_arguments"],
  "10 MB": [{ text: "x".repeat(10_000_000) }, "success"],
};
for (const [what, [args, outcome]] of Object.entries(given)) {
  test(`arguments that are ${what} end as ${outcome}`, async () => {
    const tool = defineTool({ ...reads, name: "T", execute: () => "x" });
    assert.equal(await codeOf(tool, args), outcome);
  });
}

test("keys of prototypes are data, and change nothing else", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({ ...reads, name: "T", execute: (args) => (seen.push(args), "x") });
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  assert.equal(await codeOf(tool, text), "success");
  assert.equal("polluted" in {}, false);
  assert.equal((seen[0] as { polluted?: unknown }).polluted, undefined);
});

test("what a program gave is what runs, even if it changes its object meanwhile", async () => {
  const word = Promise.withResolvers<{ decision: "allow" }>();
  const seen: unknown[] = [];
  const tool = defineTool({
    name: "T",
    description: "",
    execute: (args) => (seen.push(args), "x"),
  });
  const executor = executorWith([tool], { approvals: { request: () => word.promise } });
  const args = { path: "mine" };
  const result = executor.execute("T", args);
  args.path = "another";
  word.resolve({ decision: "allow" });
  await result;
  assert.deepEqual(seen, [{ path: "mine" }]);
});

const asks = defineTool({ name: "T", description: "", execute: () => "ran" });
const approvers: { readonly [what: string]: readonly [word: () => unknown, why: RegExp] } = {
  throws: [
    () => {
      throw new Error("no");
    },
    /asking failed/,
  ],
  rejects: [() => Promise.reject(new Error("no")), /asking failed/],
  "says nothing": [() => undefined, /not understood/],
  "says true": [() => true, /not understood/],
  "allows for an unknown scope": [() => ({ decision: "allow", scope: "ever" }), /not understood/],
  "edits with what is no object": [() => ({ decision: "allow", arguments: [1] }), /not understood/],
};
for (const [what, [word, why]] of Object.entries(approvers)) {
  test(`an approver that ${what} has refused`, async () => {
    const approvals = { request: word } as ApprovalAdapter;
    const result = await executorWith([asks], { approvals }).execute("T", {});
    assert.equal(result.status, "execution_rejected");
    assert.match(result.status === "execution_rejected" ? result.rejectReason : "", why);
  });
}

test("an approver that never answers has refused when the question expires", async () => {
  const clock = new FakeClock();
  const signals: AbortSignal[] = [];
  const approvals: ApprovalAdapter = {
    request: (_approval, signal) => (signals.push(signal), new Promise(() => {})),
  };
  const executor = executorWith([asks], { approvals, clock, limits: { approvalMs: 1_000 } });
  const result = executor.execute("T", {});
  await Promise.resolve();
  clock.advance(1_000);
  const { status, finalText } = (await result) as { status: string; finalText: string };
  assert.equal(status, "execution_rejected");
  assert.match(finalText, /nobody answered in time/);
  assert.equal(signals[0]?.aborted, true, "who still shows the question is told");
  assert.equal(clock.pending, 0);
});

test("an approver that answers again changes nothing", async () => {
  let count = 0;
  const twice = defineTool({ name: "T", description: "", execute: () => ++count });
  const approvals = {
    request: () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- what answers twice
      then(resolve: (answer: unknown) => void) {
        resolve({ decision: "refuse", reason: "first" });
        resolve({ decision: "allow" });
      },
    }),
  } as unknown as ApprovalAdapter;
  const result = await executorWith([twice], { approvals }).execute("T", {});
  assert.equal(result.status, "execution_rejected");
  assert.equal(count, 0);
});

test("a call is stopped while it asks", async () => {
  const approvals: ApprovalAdapter = { request: () => new Promise(() => {}) };
  const executor = executorWith([asks], { approvals });
  const stop = new AbortController();
  const bySignal = executor.execute("T", {}, { signal: stop.signal });
  const byId = executor.execute("T", {}, { callId: "call_x" });
  await Promise.resolve();
  stop.abort();
  assert.equal(executor.cancel("call_x"), true);
  assert.equal((await bySignal).status, "cancelled");
  assert.equal((await byId).status, "cancelled");
  assert.equal(executor.cancel("call_x"), false);
});

test("what comes back otherwise than declared is said, and shown", async () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const answers = [{ n: 1 }, { n: "one" }, toolError({ code: "busy", message: "Busy." })];
  const tool = defineTool({
    ...reads,
    name: "T",
    declaredReturnType: { type: "{ n: number }", schema },
    execute: () => answers.shift(),
  });
  const executor = executorWith([tool]);
  assert.equal((await executor.execute("T", {})).status, "success");
  const odd = await executor.execute("T", {});
  assert.equal(odd.status === "error" && odd.error.code, "unexpected_result");
  assert.match(
    odd.status === "error" ? odd.finalText : "",
    /\/n: expected a whole number.*\n[^]*"one"/,
  );
  const failed = await executor.execute("T", {});
  assert.equal(failed.status === "error" && failed.error.code, "busy");
});
