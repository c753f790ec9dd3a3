import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { type Answer, createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking, tool } from "../testing/run-fixtures.ts";

const clientTool = { type: "function", name: "C", parameters: { type: "object" } };
const output = (callId: string, text: string) => ({
  type: "function_call_output",
  call_id: callId,
  output: text,
});
const word = (id: string) => ({
  type: "mcp_approval_response",
  approval_request_id: id,
  approve: true,
});
const questionOf = ({ body }: Answer): string =>
  body.output.find(({ type }) => type === "mcp_approval_request")!.id;
const codeOf = ({ body }: Answer) => body.error?.code;

test("an unstored response shows its model the outputs of the client's tools", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "C", id: "call_1" }] }, "done"]);
  const { call } = createTestApp({ model });
  const first = await call("POST", "/v1/responses", { input: "go", tools: [clientTool] });
  const second = await call("POST", "/v1/responses", {
    store: false,
    previous_response_id: first.body.id,
    tools: [clientTool],
    input: [output("call_1", "THE OUTPUT")],
  });
  assert.equal(second.status, 200);
  assert.deepEqual(model.requests[1]?.messages.at(-1), {
    role: "tool",
    tool_call_id: "call_1",
    name: "C",
    content: "THE OUTPUT",
  });
});

// Contract: durability-76
test("rejects an output that is too large and names its size, and its call can still be answered", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "C", id: "call_1" }] }, "done"]);
  const { call } = createTestApp({ model, limits: { toolOutputChars: 10 } });
  const first = await call("POST", "/v1/responses", { input: "go", tools: [clientTool] });
  const more = { previous_response_id: first.body.id, tools: [clientTool] };
  const parts = ["123456", "78901"].map((text) => ({ type: "input_text", text }));
  for (const large of ["12345678901", parts]) {
    const message = { type: "message", role: "user", content: "here it is" };
    const input = [message, { ...output("call_1", ""), output: large }];
    const { status, body } = await call("POST", "/v1/responses", { ...more, input });
    assert.equal(status, 413);
    assert.equal(body.error?.param, "input[1].output");
    assert.match(
      body.error?.message ?? "",
      /11 characters for call call_1, the limit for one output is 10\./,
    );
  }
  const input = [output("call_1", "1234567890")];
  assert.equal((await call("POST", "/v1/responses", { ...more, input })).status, 200);
  assert.equal(model.requests[1]?.messages.at(-1)?.content, "1234567890");
});

test("an unstored response cannot answer an approval of a stored one", async () => {
  let made = 0;
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, "done"]);
  const { call } = createTestApp({ model, tools: [asking("Ask", () => ++made)] });
  const first = await call("POST", "/v1/responses", { input: "go", tools: toyTools });
  const input = [word(questionOf(first))];
  const more = { previous_response_id: first.body.id, tools: toyTools, input };
  const refused = await call("POST", "/v1/responses", { ...more, store: false });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /store/);
  // The approval is still pending.
  assert.equal((await call("POST", "/v1/responses", more)).status, 200);
  assert.equal(made, 1);
});

// Contract: history-6
test("an answer to an unknown approval starts no run", async () => {
  const model = new ScriptedModel([]);
  const { call } = createTestApp({ model });
  const input = [{ type: "message", role: "user", content: "hi" }, word("mcpr_nosuch")];
  for (const store of [true, false]) {
    const answer = await call("POST", "/v1/responses", { input, store });
    assert.equal(answer.status, 400);
    assert.equal(codeOf(answer), "approval_not_found");
  }
  assert.equal(model.requests.length, 0);
});

test("an answer to another response's approval starts no run", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Ask" }] }, { calls: [{ name: "Ask" }] }]);
  const { call } = createTestApp({ model, tools: [asking("Ask", () => 1)] });
  const first = await call("POST", "/v1/responses", { input: "go", tools: toyTools });
  const second = await call("POST", "/v1/responses", { input: "go", tools: toyTools });
  const mixed = await call("POST", "/v1/responses", {
    previous_response_id: second.body.id,
    input: [word(questionOf(first))],
  });
  assert.equal(codeOf(mixed), "approval_not_found");
  const both = await call("POST", "/v1/responses", {
    input: [word(questionOf(first)), word(questionOf(second))],
  });
  assert.equal(codeOf(both), "approval_not_found");
  assert.equal(model.requests.length, 2);
});

test("an unstored response has the variables that its history names", async () => {
  const read: unknown[] = [];
  const model = new ScriptedModel([
    { calls: [{ name: "Make" }] },
    "made",
    { calls: [{ name: "Read" }] },
    "read",
    { calls: [{ name: "Read" }] },
    "read again",
  ]);
  const tools = [
    tool("Make", () => "THE VALUE"),
    tool("Read", (_args, { variables }) => {
      read.push(variables.getVariable("Make_1")?.value.text);
      return 0;
    }),
  ];
  const { call } = createTestApp({ model, tools, limits: { warmSessions: 0 } });
  const first = await call("POST", "/v1/responses", { input: "make", tools: toyTools });
  const more = { previous_response_id: first.body.id, input: "read", tools: toyTools };
  await call("POST", "/v1/responses", { ...more, store: false });
  assert.deepEqual(read, ["THE VALUE"]);
  await call("POST", "/v1/responses", more);
  assert.deepEqual(read, ["THE VALUE", "THE VALUE"]);
});
