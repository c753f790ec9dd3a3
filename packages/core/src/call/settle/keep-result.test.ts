import assert from "node:assert/strict";
import { test } from "node:test";
import { runToolChain } from "../../chain/run-tool-chain.ts";
import type { ReviewDecision } from "../../policy/review.ts";
import { executorWith, reads } from "../../testing/executor-with.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool, type ToolOptions } from "../../tool/define-tool.ts";
import { toolError } from "../../tool/return-value.ts";
import type { ToolExecutor, ToolExecutorOptions } from "../tool-executor.ts";

type Options = Partial<ToolOptions<never, unknown, unknown>>;

function executorOf(options: Options, more: ToolExecutorOptions = {}): ToolExecutor {
  return executorWith([defineTool({ ...reads, name: "T", execute: () => "x", ...options })], more);
}
const long = "x".repeat(20_000);
const namesIn = (executor: ToolExecutor) =>
  executor.variables
    .listVariables()
    .filter(({ type }) => type !== "RULE")
    .map(({ name }) => name)
    .toSorted();

// Contract: executor-46, executor-104, executor-122, executor-214, variables-11
test("the result and the arguments of a call become variables, truncated or not", async () => {
  for (const text of ["short", long]) {
    const executor = executorOf({ execute: () => ({ text }), formatForLLM: () => text });
    const result = await executor.execute("T", { path: "." });
    assert.ok(result.status === "success");
    assert.deepEqual([result.cacheVarResult, result.cacheVarArgs], ["T_1", "T_1_args"]);
    const { variables } = executor;
    assert.deepEqual(variables.getVariable("T_1")?.value, { text, data: { text } });
    assert.equal(variables.getVariable("T_1")?.type, "ToolCallResult");
    assert.deepEqual(variables.getVariable("T_1_result")?.value, { text, data: { text } });
    const args = variables.getVariable("T_1_args");
    assert.deepEqual([args?.type, args?.value.data], ["ToolCallArgs", { path: "." }]);
  }
});

// Contract: executor-46, executor-123, variables-57
test("every call has unique variable names", async () => {
  const executor = executorOf({});
  for (const n of [1, 2, 3]) {
    const result = await executor.execute("T", {});
    assert.equal(result.status === "success" && result.cacheVarResult, `T_${n}`);
  }
});

// Contract: executor-104, variables-11
test("an error is stored like a result; a call that never ran or was stopped stores nothing", async () => {
  const executor = executorOf({
    parameters: { type: "object", properties: { n: { type: "integer" } } } as never,
    execute: () => toolError({ code: "busy", message: "Busy.", details: { queue: 5 } }),
  });
  const failed = await executor.execute("T", {});
  assert.equal(failed.status === "error" && failed.cacheVarResult, "T_1");
  assert.match(executor.variables.getVariable("T_1")?.value.text ?? "", /Busy\..*\n.*"queue":5/);
  await executor.execute("T", { n: "many" });
  await executor.execute("Nobody", {});
  assert.deepEqual(
    namesIn(executor).filter((name) => !name.startsWith("T_1")),
    [],
  );
  const stopped = executorOf({ execute: () => new Promise(() => {}) });
  const running = stopped.execute("T", {}, { callId: "call" });
  await Promise.resolve();
  stopped.cancel("call");
  assert.equal((await running).status, "cancelled");
  assert.deepEqual(namesIn(stopped), []);
});

// Contract: executor-12, executor-125, executor-177, executor-213
test("SKIP_CACHE_RESULT stores neither result nor arguments, and the hint does not offer them", async () => {
  const executor = executorOf({ SKIP_CACHE_RESULT: true, execute: () => long });
  const result = await executor.execute("T", { secret: "s" });
  assert.ok(result.status === "success");
  assert.equal(result.cacheVarResult, undefined);
  assert.deepEqual(namesIn(executor), []);
  assert.equal(result.isTruncated, true);
  assert.match(result.finalText, /The full value was not stored\.\]$/);
  assert.doesNotMatch(result.finalText, /ReadVar|VAR_REF/);
});

// Contract: executor-27, executor-55, executor-121
test("a variable tool's result is not stored again, and has no hint", async () => {
  const executor = executorOf({ variableTool: true, execute: () => long });
  const result = await executor.execute("T", {});
  assert.deepEqual(namesIn(executor), []);
  assert.match(result.status === "success" ? result.finalText : "", /x$/);
});

// Contract: executor-37, executor-103, executor-189, executor-212, executor-244
test("a withheld result is in no variable, no result and no record", async () => {
  const reviewed = (decision: ReviewDecision) =>
    executorOf(
      {
        permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
        execute: () => ({ key: "secret" }),
      },
      { approvals: { request: () => ({ decision: "allow" }), review: () => decision } },
    );
  const withheld = reviewed({ decision: "withhold", reason: "private" });
  const result = await withheld.execute("T", {});
  assert.equal(result.status, "result_rejected");
  assert.doesNotMatch(JSON.stringify(result), /secret/);
  assert.deepEqual(namesIn(withheld), []);
  const replaced = reviewed({ decision: "replace", text: "a key" });
  const released = await replaced.execute("T", {});
  assert.doesNotMatch(JSON.stringify(released), /secret/);
  assert.deepEqual(replaced.variables.getVariable("T_1")?.value, { text: "a key" });
});

// Contract: executor-15, executor-16, executor-179
test("the log contains a tool's own short texts; for a failed call, only the text for its arguments", async () => {
  const compressed: unknown[] = [];
  const words: Options = {
    compressArgs: (args) => `path ${(args as { path: string }).path}`,
    compressResult: (data) => (compressed.push(data), `${(data as string).length} characters`),
  };
  const logOf = async (options: Options) => {
    const model = new ScriptedModel([{ calls: [{ name: "T", args: { path: "a" } }] }, "done"]);
    const executor = executorOf({ ...words, ...options });
    return (await runToolChain({ executor, model, contextMessages: [] }).result).replayContent;
  };
  assert.match(await logOf({ execute: () => long }), /- T path a .*✓.*"20000 characters"/);
  const failed = await logOf({ execute: () => toolError({ code: "busy", message: "Busy." }) });
  assert.match(failed, /- T path a .*✗.*Busy\./);
  assert.deepEqual(compressed, [long], "compressResult gets only results");
});

test("the model reads a user's changes, truncated if they are long", async () => {
  const executor = executorOf(
    { permission: {}, execute: () => "written" },
    { approvals: { request: () => ({ decision: "allow", arguments: { text: long } }) } },
  );
  const result = await executor.execute("T", { text: "a" });
  const text = result.status === "success" ? result.finalText : "";
  assert.match(
    text,
    /^\[A user changed the arguments before it ran; these are in effect: \{"text":"xxx/,
  );
  assert.match(text, /written$/);
  assert.ok(text.length < 2_200, `${text.length}`);
  assert.deepEqual(executor.variables.getVariable("T_1_args")?.value.data, { text: long });
});

// Contract: executor-49
test("shown and withheld tokens add up to about all tokens of the result", async () => {
  const countTokens = (text: string) => Math.ceil(text.length / 2);
  const executor = executorOf({ execute: () => long }, { countTokens });
  const result = await executor.execute("T", {});
  assert.ok(result.status === "success");
  assert.equal(result.tokens.shown, countTokens(result.finalText));
  assert.equal(result.tokens.shown + result.tokens.withheld, countTokens(long));
  const whole = await executorOf({ execute: () => "short" }, { countTokens }).execute("T", {});
  assert.ok(whole.status === "success");
  assert.deepEqual([whole.tokens.shown, whole.tokens.withheld], [3, 0]);
});
