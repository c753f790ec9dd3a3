import assert from "node:assert/strict";
import { test } from "node:test";
import { digest } from "../json/json-value.ts";
import type { JsonSchema } from "../base/json.ts";
import type { ApprovalAdapter } from "../policy/approval.ts";
import { executorWith, reads } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toolError } from "../tool/return-value.ts";

// Errors in code outside the gate, one test each: in a definition, a model's arguments, a tool's
// result, its callbacks, an approver. Each error has a defined outcome, and the gate never throws.

const circular: { self?: unknown } = {};
circular.self = circular;

/** An object that throws on any access, but is not a promise. */
const throwing: object = new Proxy(
  {},
  {
    has: () => throws(),
    get: (_target, key) => (key === "then" ? undefined : throws()),
    ownKeys: () => throws(),
    getPrototypeOf: () => throws(),
  },
);

const throws = (): never => {
  throw new Error("no");
};

/** Returns the status of a call's result, and the error's code and message if it failed. */
async function outcomeOf(tool: Tool, args: unknown = {}) {
  const result = await executorWith([tool]).execute(tool.definition.function.name, args as never);
  assert.ok(result.status !== "pending");
  const { code = "", message = "" } = "error" in result ? result.error : {};
  return { outcome: `${result.status} ${code}`.trim(), message, ...result };
}
const returning = (value: unknown) =>
  outcomeOf(defineTool({ ...reads, name: "T", execute: () => value }));
const having = (callbacks: Partial<Tool>) =>
  outcomeOf({ ...defineTool({ ...reads, name: "T", execute: () => "x" }), ...callbacks });
const given = (args: unknown) =>
  outcomeOf(defineTool({ ...reads, name: "T", execute: () => "x" }), args);
const defined = (parameters: unknown, args: unknown = {}) =>
  outcomeOf(
    defineTool({ ...reads, name: "T", parameters: parameters as JsonSchema, execute: () => "x" }),
    args,
  );

/** Asserts that a call ran, but that its result is unusable, and why. */
async function assertUnusable(value: unknown, why: RegExp): Promise<void> {
  const { outcome, message } = await returning(value);
  assert.equal(outcome, "error unusable_result");
  assert.match(message, /^T ran, but its result cannot be used\. /);
  assert.match(message, why);
}

// A definition

// Contract: executor-3, executor-146
test("a tool with a broken schema ends its calls as invalid_schema with the path", async () => {
  const { outcome, message } = await defined({ properties: { a: { type: "strin" } } });
  assert.equal(outcome, "error invalid_schema");
  assert.match(message, /\/properties\/a\/type/);
});

// Contract: executor-146
test("a tool whose schema the validator rejects ends its calls as invalid_schema", async () => {
  for (const schema of [{ $ref: "https://example.org/a.json" }, { pattern: "(" }, "object", [1]])
    assert.equal((await defined(schema)).outcome, "error invalid_schema");
});

// Contract: executor-147
test("a recursive schema is enforced at every depth", async () => {
  const tree = { type: "object", properties: { n: { type: "integer" }, child: { $ref: "#" } } };
  assert.equal((await defined(tree, { child: { child: { n: 1 } } })).outcome, "success");
  const { outcome, message } = await defined(tree, { child: { child: { n: "one" } } });
  assert.equal(outcome, "error invalid_arguments");
  assert.match(message, /\/child\/child\/n: expected a whole number/);
});

// Contract: executor-147
test("an endlessly self-referring schema rejects every call", async () => {
  assert.equal((await defined({ $ref: "#" }, { a: 1 })).outcome, "error invalid_arguments");
});

// Arguments

// Contract: executor-92, executor-234
test("missing arguments are treated as an empty object", async () => {
  for (const args of [undefined, "", "  ", "{}"])
    assert.equal((await given(args)).outcome, "success");
});

// Contract: executor-92, executor-150, executor-167, executor-211, executor-235, plugins-3
test("arguments that are not an object end as invalid_arguments", async () => {
  for (const args of [null, [1], 5, "null", "[1]", "5", '"x"', "true"])
    assert.equal((await given(args)).outcome, "error invalid_arguments", JSON.stringify(args));
});

// Contract: executor-150
test("arguments that are not plain data end as invalid_arguments", async () => {
  for (const args of [
    circular,
    { n: 1n },
    { toJSON: throws },
    new Map([["n", 1]]),
    throwing,
    { at: new Set() },
  ])
    assert.equal((await given(args)).outcome, "error invalid_arguments");
});

// Contract: executor-148
test("arguments of 10 MB run, as text and as an object", async () => {
  const args = { text: "x".repeat(10_000_000) };
  assert.equal((await given(args)).outcome, "success");
  assert.equal((await given(JSON.stringify(args))).outcome, "success");
});

// Contract: executor-148
test("10 MB of broken arguments end as invalid_arguments with a short message", async () => {
  const { outcome, finalText } = await given(`{"text":"${"x".repeat(10_000_000)}`);
  assert.equal(outcome, "error invalid_arguments");
  assert.ok(finalText.length < 1_000, `${finalText.length} characters`);
});

// Contract: executor-149
test("arguments that nest 100,000 deep end as invalid_arguments", async () => {
  const text = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.equal((await given(text)).outcome, "error invalid_arguments");
});

// Contract: executor-151
test("__proto__ and constructor as keys are data and change nothing else", async () => {
  const seen: unknown[] = [];
  const tool = defineTool({ ...reads, name: "T", execute: (args) => (seen.push(args), "x") });
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  assert.equal((await outcomeOf(tool, text)).outcome, "success");
  assert.equal("polluted" in {}, false);
  assert.equal((seen[0] as { polluted?: unknown }).polluted, undefined);
  assert.deepEqual(Object.keys(seen[0] as object), ["__proto__", "constructor"]);
});

// Contract: executor-152
test("lone surrogates in arguments stay distinct from all other text", async () => {
  const digests = ["\ud800", "\ud801", "\udc00", "\ufffd"].map((text) => digest({ text }));
  assert.equal(new Set(digests).size, 4, "each approval applies to only one of them");
  assert.equal((await given('{"text":"\\ud800"}')).outcome, "success");
});

// Contract: executor-95
test("a call runs with the given arguments, even if the program changes its object later", async () => {
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

// A tool's results

// Contract: executor-153
test("a tool that returns a circular object ends as unusable_result", async () => {
  await assertUnusable(circular, /not plain data: .*circular/);
});

// Contract: executor-153
test("a tool that returns a BigInt ends as unusable_result", async () => {
  await assertUnusable(10n, /returned a bigint/);
  await assertUnusable({ rows: [{ n: 10n }] }, /BigInt/);
});

// Contract: executor-153
test("a tool that returns a function or a symbol ends as unusable_result", async () => {
  await assertUnusable(() => 1, /returned a function/);
  await assertUnusable(Symbol("s"), /returned a symbol/);
});

// Contract: executor-154
test("a tool that returns a stream ends as unusable_result", async () => {
  await assertUnusable(new ReadableStream(), /returned a stream/);
  await assertUnusable((async function* () {})(), /returned a stream/);
});

// Contract: executor-154
test("a tool that returns bytes ends as unusable_result", async () => {
  await assertUnusable(new Uint8Array(3), /returned bytes/);
  await assertUnusable(Buffer.from("text"), /returned bytes/);
});

// Contract: executor-155
test("a tool that returns a value without a JSON form ends as unusable_result with its path", async () => {
  await assertUnusable(
    { rows: [new Map([["a", 1]])] },
    /a Map at \/rows\/0, which cannot be stored/,
  );
  await assertUnusable(new Set([1]), /a Set, which/);
  await assertUnusable({ later: Promise.resolve(1) }, /a Promise at \/later/);
  await assertUnusable([/x/], /a RegExp at \/0/);
  await assertUnusable(new Response("body"), /a Response, which/);
  await assertUnusable(0 / 0, /the number NaN, which cannot be stored/);
  await assertUnusable({ rows: [{ mean: 1 }, { mean: -1 / 0 }] }, /-Infinity at \/rows\/1\/mean/);
});

// Contract: executor-156
test("a tool that returns an object whose getter throws ends as unusable_result", async () => {
  const value = {
    get x() {
      return throws();
    },
  };
  await assertUnusable(value, /not plain data: no$/);
});

test("a tool fails if it returns or throws an object that throws on access, synchronously or later", async () => {
  assert.equal((await returning(throwing)).status, "error");
  assert.equal((await returning(Promise.resolve(throwing))).status, "error");
  assert.equal((await returning(Promise.reject(throwing as never))).outcome, "error tool_threw");
  assert.equal((await having({ execute: () => [throwing] })).outcome, "error unusable_result");
});

// Contract: executor-157, executor-209, executor-241, plugins-24
test("a tool that returns nothing succeeds, and the model reads that there is no result", async () => {
  for (const value of [undefined, null, Promise.resolve()]) {
    const { outcome, finalText } = await returning(value);
    assert.equal(outcome, "success");
    assert.equal(finalText, "(no result)");
  }
});

// Contract: executor-158
test("a tool that returns an instance of a class returns its fields", async () => {
  class Point {
    readonly x = 1;
    readonly #secret = 2;
    sum(): number {
      return this.x + this.#secret;
    }
  }
  assert.equal((await returning(new Point())).finalText, '{"x":1}');
  assert.equal(
    (await returning({ list: [], object: {}, none: Object.create(null) })).finalText,
    '{"list":[],"object":{},"none":{}}',
  );
  assert.equal((await returning(new Date(0))).finalText, '"1970-01-01T00:00:00.000Z"');
});

// Contract: executor-158
test("a tool that returns an Error fails with its message", async () => {
  const { outcome, message } = await returning(new TypeError("no such town"));
  assert.equal(outcome, "error tool_threw");
  assert.equal(message, "no such town");
});

// Contract: executor-47, executor-159
test("a tool's huge text is stored in full and shown in part", async () => {
  const { outcome, finalText, formattedText } = await returning("x".repeat(20_000_000));
  assert.equal(outcome, "success");
  assert.equal(formattedText?.length, 20_000_000);
  assert.ok(finalText.length < 10_000);
});

// Contract: executor-152
test("a lone surrogate in a result is well-formed for the model, and unchanged in the variable", async () => {
  const executor = executorWith([defineTool({ ...reads, name: "T", execute: () => "a\ud800b" })]);
  const result = await executor.execute("T", {});
  assert.equal(result.status === "success" && result.finalText, "a\ufffdb");
  assert.equal(executor.variables.getVariable("T_1")?.value.text, "a\ud800b");
});

test("a tool's error keeps its code if its details are not data", async () => {
  const error = toolError({ code: "odd", message: "odd", details: circular as never });
  assert.equal((await returning(error)).outcome, "error odd");
});

test("a tool that returns an error without a message fails with a default message", async () => {
  const { outcome, message } = await returning(toolError({ code: 5, message: undefined } as never));
  assert.equal(outcome, "error tool_failed");
  assert.equal(message, "It failed without an error message.");
});

test("a tool name that is not text matches no tool", async () => {
  const executor = executorWith([defineTool({ ...reads, name: "T", execute: () => "x" })]);
  for (const name of [5, undefined, null, "x".repeat(1_000_000)])
    assert.equal((await executor.execute(name as never, {})).status, "not_found");
});

// Contract: executor-160, executor-206
test("a tool fails if it throws any value", async () => {
  for (const thrown of [undefined, null, 5, "words", circular, Symbol("s"), new Error("")]) {
    const execute = () => {
      // oxlint-disable-next-line typescript/only-throw-error -- custom tools do
      throw thrown;
    };
    const { outcome, message } = await having({ execute });
    assert.equal(outcome, "error tool_threw");
    assert.notEqual(message, "");
  }
});

// A tool's callbacks

// Contract: executor-161, executor-174, executor-242
test("a formatter that throws ends as unusable_result with its error", async () => {
  const { outcome, message } = await having({ formatForLLM: throws });
  assert.equal(outcome, "error unusable_result");
  assert.match(message, /formatForLLM threw: no/);
});

// Contract: executor-161
test("a formatter that returns no text ends as unusable_result", async () => {
  assert.equal((await having({ formatForLLM: () => 5 as never })).outcome, "error unusable_result");
});

// Contract: executor-114, executor-162
test("a truncation that throws or returns no text is replaced by the gate's", async () => {
  for (const truncateForLLM of [throws, () => 5 as never]) {
    const { outcome, finalText } = await having({
      truncateForLLM,
      execute: () => "x".repeat(9_000),
    });
    assert.equal(outcome, "success");
    assert.match(finalText, /characters omitted/);
  }
});

// Contract: executor-18, executor-162
test("a check that throws ends as check_failed, and the tool does not run", async () => {
  let ran = 0;
  const check = () => Promise.reject(new Error("no"));
  for (const broken of [throws, check])
    assert.equal(
      (await having({ check: broken, execute: () => ran++ })).outcome,
      "error check_failed",
    );
  assert.equal(ran, 0);
});

// Contract: executor-16, executor-162
test("log texts are omitted if their functions throw or return none", async () => {
  for (const broken of [throws, () => 5 as never])
    assert.equal(
      (await having({ compressArgs: broken, compressResult: broken })).outcome,
      "success",
    );
});

// Contract: executor-162
test("a policy that throws requires approval; locks that throw exclude the whole group", async () => {
  const asked = await having({ permission: { executionPolicy: throws } });
  assert.equal(asked.outcome, "execution_rejected execution_rejected");
  assert.match(asked.finalText, /needs a user's approval/);
  assert.equal((await having({ effects: { locks: throws } })).outcome, "success");
});

// Approvers

const asks = defineTool({ name: "T", description: "", execute: () => "ran" });
async function assertRefused(word: () => unknown, why: RegExp): Promise<void> {
  const approvals = { request: word } as ApprovalAdapter;
  const result = await executorWith([asks], { approvals }).execute("T", {});
  assert.equal(result.status, "execution_rejected");
  assert.match(result.status === "execution_rejected" ? result.rejectReason : "", why);
}

// Contract: executor-163
test("an approver that throws or rejects its promise rejects the call", async () => {
  await assertRefused(throws, /approval request failed/);
  await assertRefused(() => Promise.reject(new Error("no")), /approval request failed/);
});

// Contract: executor-163
test("an approver with an invalid answer rejects the call", async () => {
  const answers = [
    undefined,
    true,
    { decision: "maybe" },
    { decision: "allow", scope: "ever" },
    { decision: "allow", arguments: [1] },
  ];
  for (const answer of answers) await assertRefused(() => answer, /answer was invalid/);
});

// Contract: executor-164, executor-227
test("an approver that never answers rejects the call when the request expires", async () => {
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
  assert.match(finalText, /no user answered in time/);
  assert.equal(signals[0]?.aborted, true, "the adapter that shows the request is notified");
  assert.equal(clock.pending, 0);
});

// Contract: executor-164
test("an approver's second answer changes nothing", async () => {
  let count = 0;
  const twice = defineTool({ name: "T", description: "", execute: () => ++count });
  const approvals = {
    request: () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- answers twice
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

// Contract: executor-40, executor-106, executor-227
test("a call can be stopped while it waits for approval", async () => {
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

// Contract: executor-17, executor-180
test("a result that does not match its declared schema is reported, and shown", async () => {
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
