import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryRequest } from "@capstan/core/host";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

interface Item {
  readonly type: string;
  readonly id: string;
  readonly role?: string;
  readonly content?: readonly object[];
  readonly encrypted_content?: string;
}

interface Compaction {
  readonly id: string;
  readonly object: string;
  readonly created_at: number;
  readonly output: readonly Item[];
  readonly usage: { readonly total_tokens: number };
  readonly error?: { readonly code: string; readonly param: string; readonly message: string };
}

function serve(
  steps: readonly ScriptedStep[],
  more: Partial<Parameters<typeof createTestApp>[0]> = {},
) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, ...more });
  const compact = async (body: object): Promise<{ status: number; body: Compaction }> => {
    const response = await app.fetch(requestTo("POST", "/v1/responses/compact", body));
    return { status: response.status, body: (await response.json()) as Compaction };
  };
  return { ...app, model, compact };
}

const image = { type: "input_image", image_url: `data:image/png;base64,${"aGk=".repeat(8)}` };
const input = [
  { role: "user", content: [{ type: "input_text", text: "Remember slate." }, image] },
  { role: "assistant", content: "OK." },
  { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "grey" },
  { role: "user", content: "Compress this." },
];

// Contract: responses-10
test("a compaction has the user's messages and one sealed summary, which the model reads again", async () => {
  const usage = { inputTokens: 7, outputTokens: 3 };
  const { compact, model, call } = serve([{ text: "It was slate.", usage }, "Done."]);
  const { status, body } = await compact({ model: "m", input, instructions: "Be exact." });
  assert.equal(status, 200);
  assert.equal(body.object, "response.compaction");
  assert.ok(Number.isInteger(body.created_at));
  assert.equal(body.usage.total_tokens, 10);
  assert.deepEqual(
    body.output.map(({ type, role }) => role ?? type),
    ["user", "user", "compaction"],
  );
  assert.equal(JSON.stringify(body.output[0]?.content).includes(image.image_url), true);
  assert.ok(body.output.every(({ id }) => id !== ""));
  assert.doesNotMatch(JSON.stringify(body.output[2]), /slate/);
  const asked = model.requests[0];
  assert.equal(asked?.messages.at(-1)?.content, summaryRequest);
  assert.match(JSON.stringify(asked), /Be exact\..*grey/);
  assert.deepEqual(asked?.tools, []);

  const next = [...body.output, { role: "user", content: "Continue." }];
  assert.equal((await call("POST", "/v1/responses", { model: "m", input: next })).status, 200);
  const seen = model.requests[1]?.messages ?? [];
  assert.deepEqual(
    seen.map(({ role }) => role),
    ["user", "user", "assistant", "user"],
  );
  assert.match(String(seen[2]?.content), /Summary[^]*It was slate\./);
});

// Contract: responses-10
test("a compaction accepts a stored history and a compacted one, and changes neither", async () => {
  const { compact, model, call } = serve(["OK.", "First summary.", "Second summary.", "On."]);
  const first = await call("POST", "/v1/responses", { model: "m", input: "Remember cobalt." });
  const one = await compact({ model: "m", previous_response_id: first.body.id });
  assert.match(JSON.stringify(one.body.output[0]), /Remember cobalt/);
  const more = { role: "user", content: "And copper." };
  const two = await compact({ model: "m", input: [...one.body.output, more] });
  assert.deepEqual(
    two.body.output.map(({ type }) => type),
    ["message", "message", "compaction"],
  );
  assert.match(JSON.stringify(model.requests[2]?.messages), /First summary/);
  const after = { model: "m", previous_response_id: first.body.id, input: "Go on." };
  assert.equal((await call("POST", "/v1/responses", after)).status, 200);
  assert.doesNotMatch(JSON.stringify(model.requests[3]?.messages), /summar/i);
});

// Contract: responses-10
test("a compaction has the messages that were added to a conversation", async () => {
  const { compact, call } = serve(["Hello.", "A summary."]);
  const items = [{ role: "user", content: "I am Alice." }];
  const { body: conversation } = await call("POST", "/v1/conversations", { items });
  const turn = { model: "m", conversation: conversation.id, input: "Who am I?" };
  const { body: response } = await call("POST", "/v1/responses", turn);
  const { body } = await compact({ model: "m", previous_response_id: response.id });
  assert.match(JSON.stringify(body.output.slice(0, 2)), /I am Alice.*Who am I/);
});

// Contract: responses-10
test("a compaction item of another user, a changed one and a foreign one are rejected by name", async () => {
  const app = serve(["Secret.", "x"], {
    apiKeys: [
      { name: "ann", key: "a".repeat(32) },
      { name: "ben", key: "b".repeat(32) },
    ],
  });
  const send = async (key: string, path: string, body: object) => {
    const request = requestTo("POST", path, { model: "m", ...body });
    request.headers.set("authorization", `Bearer ${key.repeat(32)}`);
    const response = await app.fetch(request);
    return { status: response.status, body: (await response.json()) as Compaction };
  };
  const { body } = await send("a", "/v1/responses/compact", { input: "Hello" });
  const item = body.output.at(-1);
  const sealed = item?.encrypted_content ?? "";
  const cases = [
    ["b", item, "input[0].encrypted_content"],
    ["a", { ...item, encrypted_content: sealed.slice(0, -2) }, "input[0].encrypted_content"],
    ["a", { ...item, encrypted_content: "gAAAAB" }, "input[0].type"],
  ] as const;
  for (const path of ["/v1/responses", "/v1/responses/compact", "/v1/responses/input_tokens"])
    for (const [key, given, param] of cases) {
      const answer = await send(key, path, { input: [given, { role: "user", content: "Hi" }] });
      assert.deepEqual([answer.status, answer.body.error?.param], [400, param]);
    }
  assert.equal(app.model.requests.length, 1);
});

// Contract: responses-10
test("a compaction runs no tool, and rejects a body with answers, without a model or without input", async () => {
  let executed = 0;
  const look = tool("Look", () => (executed += 1));
  const calling = { calls: [{ name: "Look" }] };
  const { compact } = serve([calling, "A summary."], { tools: [look] });
  const missing: readonly (readonly [object, string])[] = [
    [{ input: "Hello" }, "model"],
    [{ model: "m" }, "input"],
    [{ model: "m", input: [] }, "input"],
    [{ model: "m", input: 3 }, "input"],
    [{ model: "m", input: "x", previous_response_id: "resp_none" }, "previous_response_id"],
  ];
  for (const [body, param] of missing) {
    const answer = await compact(body);
    assert.deepEqual([answer.status, answer.body.error?.param], [400, param]);
  }
  await compact({ model: "m", input: "Hello" });
  assert.equal(executed, 0);
});

// Contract: responses-10
test("a model without a summary is an error, not an empty summary", async () => {
  const { compact } = serve([""]);
  const { status, body } = await compact({ model: "m", input: "Hello" });
  assert.equal(status, 502);
  assert.notEqual(body.error?.message ?? "", "");
});
