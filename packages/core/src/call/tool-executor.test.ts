import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAdapter } from "../policy/approval.ts";
import type { PolicyRule } from "../policy/rule.ts";
import { executorWith } from "../testing/executor-with.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/return-value.ts";

// Contract: executor-6, executor-90, executor-95
test("the stages of a call run in their order, each once", async () => {
  const order: string[] = [];
  const did = <T>(stage: string, value: T): T => (order.push(stage), value);
  const tool = {
    ...defineTool({
      name: "T",
      description: "",
      parameters: { type: "object", properties: { text: { type: "string" } } },
      permission: {
        executionPolicy: (args) => did(`decide on ${String(args["text"])}`, "ask-once" as const),
        resultApprovalPolicy: "always",
      },
      execute: ({ text }) => did(`run with ${String(text)}`, { said: text }),
      formatForLLM: (data) => did("format", JSON.stringify(data)),
      truncateForLLM: (text) => did("truncate", text),
    }),
    check: () => did("check", []),
  };
  const executor = executorWith([tool], {
    approvals: {
      request: ({ args }) => did(`ask about ${String(args["text"])}`, { decision: "allow" }),
      review: ({ shown }) => did(`review ${shown}`, { decision: "release" }),
    },
    ledger: { record: ({ status }) => void order.push(`record ${status}`) },
  });
  executor.variables.addVariable("note", "hello", "USER_ADD");
  const result = await executor.execute("T", '{"text":"$VAR_REF{{note}}",}');
  assert.deepEqual(
    order.filter((stage, index) => order.indexOf(stage) === index),
    [
      "check",
      "decide on hello",
      "record waiting",
      "ask about hello",
      "record approved",
      "record started",
      "run with hello",
      "format",
      "truncate",
      "record in_review",
      'review {"said":"hello"}',
      "record succeeded",
    ],
  );
  assert.equal(order.filter((stage) => stage.startsWith("run")).length, 1);
  assert.equal(result.status === "success" && result.finalText, '{"said":"hello"}');
  assert.ok(executor.variables.getVariable("T_1"));
});

// Contract: executor-8, executor-35, executor-185, executor-240, plugins-23
test("the model reads an error's code, message, details and advice", async () => {
  const details = { line: 3 };
  const tool = defineTool({
    name: "T",
    description: "",
    permission: { executionPolicy: "auto" },
    execute: () =>
      toolError({
        code: "file_not_found",
        message: "No file a.md.",
        details,
        retryable: true,
        retryAfterMs: 1_500,
      }),
  });
  const result = await executorWith([tool]).execute("T", {});
  assert.ok(result.status === "error");
  assert.deepEqual(result.error, {
    code: "file_not_found",
    message: "No file a.md.",
    retryable: true,
    retryAfterMs: 1_500,
    details,
  });
  assert.equal(
    result.finalText,
    'Error (file_not_found): No file a.md.\n{"line":3}\nThe same call may succeed in 2 s.',
  );
});

// Contract: executor-38, executor-184
test("a missing resource is the tool's error; a missing tool is not_found", async () => {
  const missing = toolError({ code: "document_not_found", message: "There is none." });
  const tool = defineTool({
    name: "T",
    description: "",
    permission: { executionPolicy: "auto" },
    execute: () => missing,
  });
  const executor = executorWith([tool]);
  assert.equal((await executor.execute("T", {})).status, "error");
  const unknown = await executor.execute("U", {});
  assert.equal(unknown.status, "not_found");
  assert.match(unknown.status === "not_found" ? unknown.finalText : "", /There is no tool "U"/);
});

// Contract: executor-34
test("a result has either the data of a success or the error of a failure", async () => {
  const tool = defineTool({
    name: "T",
    description: "",
    permission: { executionPolicy: "auto" },
    parameters: { type: "object" },
    execute: ({ fail }) => (fail === true ? toolError({ code: "x", message: "y" }) : { ok: true }),
  });
  const executor = executorWith([tool]);
  const fine = await executor.execute("T", {});
  const failed = await executor.execute("T", { fail: true });
  assert.deepEqual(["data" in fine, "error" in fine], [true, false]);
  assert.deepEqual(["data" in failed, "error" in failed], [false, true]);
});

test("an argument problem is reported once in the text, and as data for programs", async () => {
  const tool = defineTool({
    name: "T",
    description: "",
    parameters: { type: "object", properties: { path: {} }, required: ["path"] },
    execute: () => 1,
  });
  const result = await executorWith([tool]).execute("T", { pth: 1 });
  assert.ok(result.status === "error");
  assert.equal(
    result.finalText,
    "Error (invalid_arguments): The arguments are invalid:\n- /path is required; did you write it as pth?\nCorrect these and call again.",
  );
  assert.deepEqual(result.error.details, [
    { path: "/path", expected: "a value", received: "nothing", keyword: "required" },
  ]);
});

test("an argument problem shows the tool's first example, unless it is long", async () => {
  const textWith = async (path: string) => {
    const tool = defineTool({
      name: "T",
      description: "",
      parameters: { type: "object", properties: { path: {} }, required: ["path"] },
      examples: [{ title: "Read.", args: { path } }],
      execute: () => 1,
    });
    const result = await executorWith([tool]).execute("T", {});
    return "finalText" in result ? result.finalText : "";
  };
  assert.match(
    await textWith("a.md"),
    /- \/path is required\nValid arguments: \{"path":"a\.md"\}\nCorrect these/,
  );
  assert.doesNotMatch(await textWith("a".repeat(400)), /Valid arguments/);
});

// Contract: executor-42
test("without an immediate answer the call is pending with its approval request, and nothing runs", async () => {
  let ran = 0;
  const tool = defineTool({ name: "T", description: "Does it.", execute: () => ++ran });
  const approvals = { request: () => ({ decision: "pending" }) as const };
  const executor = executorWith([tool], { approvals });
  const result = await executor.execute("T", { path: "." }, { callId: "call_1" });
  assert.ok(result.status === "pending" && result.waitsFor === "approval");
  assert.deepEqual([result.callId, result.toolId], ["call_1", "test.T"]);
  const { args, description, toolName } = result.approval;
  assert.deepEqual([args, description, toolName], [{ path: "." }, "Does it.", "T"]);
  assert.equal(ran, 0);
});

// Contract: executor-56, executor-118, executor-225
test("an approval covers the same arguments in any notation, and no others", async () => {
  const asked: unknown[] = [];
  const tool = defineTool({
    name: "T",
    description: "",
    parameters: { type: "object", properties: { n: { type: "integer" }, text: {} } },
    execute: () => "ran",
  });
  const approvals = {
    request: ({ args }: { args: unknown }) => (asked.push(args), { decision: "allow" } as const),
  };
  const executor = executorWith([tool], { approvals });
  const long = "x".repeat(10_000);
  await executor.execute("T", { n: 1, text: long });
  await executor.execute("T", `{"text":"${long}","n":"1"}`);
  await executor.execute("T", { text: long, n: 1, limit: 100 });
  assert.equal(asked.length, 1, "order, repairs and limit do not make it a different call");
  await executor.execute("T", { n: 1, text: `${long.slice(1)}y` });
  await executor.execute("T", { n: 2, text: long });
  assert.equal(asked.length, 3);
});

// Contract: executor-229
test("a rule for execution does not affect the review, and a rule for results does not affect execution", async () => {
  const tool = defineTool({
    name: "T",
    description: "",
    permission: { executionPolicy: "ask-always", resultApprovalPolicy: "always" },
    execute: () => "ran",
  });
  const happened = async (overrides: readonly PolicyRule[]) => {
    const asked: string[] = [];
    const approvals: ApprovalAdapter = {
      request: () => (asked.push("execution"), { decision: "allow" }),
      review: () => (asked.push("result"), { decision: "release" }),
    };
    await executorWith([tool], { approvals, overrides }).execute("T", {});
    return asked;
  };
  assert.deepEqual(await happened([]), ["execution", "result"]);
  assert.deepEqual(await happened([{ tool: "test.T", execution: "auto" }]), ["result"]);
  assert.deepEqual(await happened([{ tool: "test.T", result: "never" }]), ["execution"]);
});

// Contract: executor-222
test("a result's invisible characters are marked for the model and unchanged in the stored value", async () => {
  const original = "pay \u202E001\u202C\u{E0068}";
  const tool = defineTool({
    name: "Read",
    description: "",
    parameters: { type: "object" },
    permission: { executionPolicy: "auto" },
    execute: () => original,
  });
  const executor = executorWith([tool]);
  const result = await executor.execute("Read", {});
  assert.ok(result.status === "success");
  assert.match(result.finalText, /^pay ⟨U\+202E⟩001⟨U\+202C⟩⟨U\+E0068⟩/);
  assert.equal(result.data, original);
});
