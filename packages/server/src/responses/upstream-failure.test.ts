import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError, type ModelErrorCode } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

function appOf(...steps: readonly ScriptedStep[]) {
  return createTestApp({ model: new ScriptedModel(steps), tools: [tool("Act", () => "done")] });
}

interface Failed {
  readonly error: { readonly [field in "message" | "type" | "param" | "code"]: string };
}

// Contract: responses-4
test("a model that fails before any output is answered with the status of its failure", async () => {
  const expected: readonly (readonly [ModelErrorCode, number, string])[] = [
    ["rate_limit", 429, "rate_limit_exceeded"],
    ["insufficient_quota", 429, "insufficient_quota"],
    ["context_length", 400, "context_length_exceeded"],
    ["bad_request", 400, "invalid_prompt"],
    ["model_not_found", 404, "model_not_found"],
    ["authentication", 502, "server_error"],
    ["timeout", 504, "upstream_timeout"],
    ["connection", 502, "server_error"],
    ["server", 502, "server_error"],
  ];
  for (const [code, status, wireCode] of expected)
    for (const store of [true, false]) {
      const error = new ModelError({ code, message: "It failed.", retryAfterMs: 2_500 });
      const { fetch } = appOf({ error });
      const response = await fetch(requestTo("POST", "/v1/responses", { input: "go", store }));
      const body = (await response.json()) as Failed;
      assert.deepEqual([response.status, body.error.code], [status, wireCode]);
      assert.equal(body.error.message, "It failed.");
      assert.ok(Object.values(body.error).every((text) => text !== ""));
      const delay = response.headers.get("retry-after");
      const retryable = ["rate_limit", "timeout", "connection", "server"].includes(code);
      assert.equal(delay, retryable ? "3" : null);
      assert.equal(response.headers.get("x-should-retry"), retryable ? null : "false");
    }
});

// Contract: responses-4
test("a failure after output, or in a stream, is a failed response", async () => {
  const error = new ModelError({ code: "server", message: "It failed." });
  const go = { input: "go", tools: toyTools };
  for (const steps of [[{ calls: [{ name: "Act" }] }, { error }], [{ error, after: "Hel" }]]) {
    const { call } = appOf(...steps);
    const { status, body } = await call("POST", "/v1/responses", go);
    assert.deepEqual([status, body.status], [200, "failed"]);
  }
  const { fetch } = appOf({ error });
  const stream = await fetch(requestTo("POST", "/v1/responses", { ...go, stream: true }));
  assert.equal(stream.status, 200);
  assert.match(await stream.text(), /response\.failed/);
});

// Contract: responses-4
test("a failure right after the output of a client's call has its status, and can be repeated", async () => {
  const error = new ModelError({ code: "rate_limit", message: "Slow." });
  const { call } = appOf({ calls: [{ name: "Pay", id: "c1" }] }, { error }, "Paid.");
  const tools = [{ type: "function", name: "Pay" }];
  const first = await call("POST", "/v1/responses", { input: "Pay.", tools });
  const answer = {
    tools,
    previous_response_id: first.body.id,
    input: [{ type: "function_call_output", call_id: "c1", output: "yes" }],
  };
  assert.equal((await call("POST", "/v1/responses", answer)).status, 429);
  assert.equal((await call("POST", "/v1/responses", answer)).body.status, "completed");
});
