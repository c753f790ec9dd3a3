import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type ToolOptions } from "../tool/define-tool.ts";
import { toolError } from "../tool/return-value.ts";
import { ToolExecutor, type ToolExecutorOptions } from "./tool-executor.ts";

const long = "word ".repeat(10_000);
const countTokens = (text: string) => text.split(" ").length;

/** The text of one call's result for the model. */
async function shown(
  options: Partial<ToolOptions<never, unknown, unknown>>,
  more: { readonly executor?: ToolExecutorOptions; readonly limit?: number } = {},
) {
  const executor = new ToolExecutor({ countTokens, ...more.executor });
  const tool = defineTool({
    name: "Say",
    description: "",
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: () => long,
    ...options,
  });
  executor.registerToolGroup({ name: "test", tools: [tool] });
  executor.toggleGroupEnabled("test", true);
  const args = more.limit === undefined ? {} : { limit: more.limit };
  const result = await executor.execute("Say", args);
  assert.ok(result.status !== "pending");
  const text = result.finalText.replace(/\n\n\[(Omitted|Truncated|Stored)[^\n]*\]$/, "");
  return { ...result, text, hint: result.finalText.slice(text.length).trim() };
}

// Contract: executor-13
test("output limits count characters, unless a limit is in tokens", async () => {
  assert.ok(Math.abs((await shown({})).text.length - 8_000) < 100);
  const gate = { executor: { limits: { outputTokens: 500 } } };
  const inTokens = countTokens((await shown({}, gate)).text);
  assert.ok(inTokens <= 500 && inTokens > 400, `${inTokens}`);
});

// Contract: executor-13, executor-14, executor-102, executor-176
test("a tool's limit overrides the gate's, and the model's overrides both", async () => {
  const gate = { executor: { limits: { outputTokens: 500 } } };
  const tokens = { DEFAULT_OUTPUT_LIMIT_TOKENS: 100 };
  const own = countTokens((await shown(tokens, gate)).text);
  assert.ok(own <= 100 && own > 60, `${own}`);
  const chars = await shown({ DEFAULT_OUTPUT_LIMIT_CHAR: 400 }, gate);
  assert.ok(Math.abs(chars.text.length - 400) < 60);
  const asked = await shown(tokens, { ...gate, limit: 1_000 });
  assert.ok(Math.abs(asked.text.length - 1_000) < 60);
});

// Contract: executor-11, executor-113
test("limit 0 shows the full result, up to the ceiling", async () => {
  for (const limit of [0, -5]) assert.equal((await shown({}, { limit })).text, long);
  assert.equal((await shown({ DEFAULT_OUTPUT_LIMIT_TOKENS: 0 })).text, long);
  assert.equal((await shown({ SKIP_EXTERNAL_TRUNCATE: true })).text, long);
  const capped = await shown({}, { limit: 0, executor: { limits: { outputCeilingChars: 2_000 } } });
  assert.ok(capped.text.length < 2_100);
});

// Contract: executor-100, executor-187, executor-207
test("an error is truncated and stored, and gets a hint, like a result", async () => {
  const failed = await shown({
    execute: () => toolError({ code: "broken", message: long }),
  });
  assert.equal(failed.status, "error");
  assert.equal(failed.isTruncated, true);
  assert.ok(failed.text.length < 8_100);
  assert.match(
    failed.hint,
    /^\[Omitted: .* Read on: ReadVar\(\{"name":"Say_1","start":\d+,"length":8000\}\)/,
  );
  assert.ok(failed.tokens.withheld > 8_000);
  const thrown = await shown({
    execute: () => {
      throw new Error(long);
    },
  });
  assert.equal(thrown.isTruncated, true);
});

test("a truncated error of a call that never ran says that text is missing", async () => {
  const refused = await shown(
    {},
    { executor: { rules: [{ tool: "test.*", execution: "deny", reason: long }] } },
  );
  assert.equal(refused.status, "execution_rejected");
  assert.equal(refused.isTruncated, true);
  assert.ok(refused.finalText.length < 8_100);
});

// Contract: executor-10, executor-114
test("the hint starts at the end of a tool's own truncation, or at the start if that is unknown", async () => {
  const head = await shown({ truncateForLLM: (text) => text.slice(0, 100) });
  assert.equal(head.text, long.slice(0, 100));
  assert.match(head.hint, /from 100 to 50000\. Read on: ReadVar\(\{"name":"Say_1","start":100,/);
  const digest = await shown({ truncateForLLM: () => "10,000 words" });
  assert.equal(digest.text, "10,000 words");
  assert.match(digest.hint, /by the tool; the full result has 50,000 .*"start":0,/);
  assert.equal(digest.isTruncated, true);
  const args: unknown[] = [];
  const see = (text: string, given: unknown) => (args.push(given), text.slice(0, 7));
  await shown({ truncateForLLM: see });
  await shown({ truncateForLLM: see }, { limit: 7 });
  assert.deepEqual(args, [{}, { limit: 7 }], "it gets the limit that the model requested");
  const broken = await shown({ truncateForLLM: () => null as unknown as string });
  assert.ok(Math.abs(broken.text.length - 8_000) < 100);
  const longer = await shown(
    { truncateForLLM: (text) => `${text}${text}` },
    { executor: { limits: { outputCeilingChars: 2_000 } } },
  );
  assert.ok(longer.text.length < 2_100);
  assert.match(longer.hint, /Read on: .*"start":0,/);
});

// Contract: executor-10, executor-45, executor-175, executor-188
test("the hint after a tool's own truncation says that text is missing, and where", async () => {
  const whole = "0123456789".repeat(5);
  const own = (truncateForLLM: (text: string) => string) =>
    shown({ execute: () => whole, truncateForLLM });
  const notice = await own(
    (text) => `${text.slice(0, 30)} [… the tool left out 10 characters …] ${text.slice(40)}`,
  );
  assert.ok(notice.text.length > whole.length);
  assert.equal(notice.isTruncated, true);
  assert.match(notice.hint, /Omitted: 10 of 50 characters, from 30 to 40\./);
  const header = await own((text) => `Ten digits, five times:\n${text}\n(end)`);
  assert.equal(header.isTruncated, false);
  assert.equal(header.hint, "");
});

// Contract: executor-11
test("the gate truncates errors, regardless of the tool's own truncation", async () => {
  const failed = { execute: () => toolError({ code: "broken", message: long }) };
  for (const own of [
    { SKIP_EXTERNAL_TRUNCATE: true },
    { truncateForLLM: (text: string) => text },
  ]) {
    const { text, isTruncated } = await shown({ ...failed, ...own });
    assert.ok(text.length < 8_100);
    assert.equal(isTruncated, true);
  }
});

// Contract: executor-116, executor-117, executor-218
test("a limit works as a number and as text, at any size", async () => {
  const withLimit = async (limit: unknown) =>
    (await shown({}, { limit: limit as number })).text.length;
  for (const limit of [100, "100", 100.9]) assert.ok(Math.abs((await withLimit(limit)) - 100) < 60);
  for (const limit of [0, -1, "0", 1e300]) assert.equal(await withLimit(limit), long.length);
  assert.ok(
    Math.abs((await withLimit("much")) - 8_000) < 100,
    "a value that is not a number changes nothing",
  );
});

// Contract: executor-118
test("a tool's own limit argument goes to the tool, also in a strict schema", async () => {
  const seen: unknown[] = [];
  const parameters = {
    type: "object",
    properties: { limit: { type: "integer" } },
    required: ["limit"],
    additionalProperties: false,
  } as const;
  for (const strict of [true, false]) {
    const tool = {
      parameters: parameters as never,
      strict,
      execute: (args: unknown) => (seen.push(args), long),
    };
    assert.ok((await shown(tool, { limit: 10 })).text.length > 7_000);
  }
  assert.deepEqual(seen, [{ limit: 10 }, { limit: 10 }]);
});
