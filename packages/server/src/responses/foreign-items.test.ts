import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

async function post(body: object, path = "/v1/responses") {
  const model = new ScriptedModel(["Done."]);
  const { call } = createTestApp({ model });
  const { status, body: answer } = await call("POST", path, body);
  return { status, error: answer.error, model };
}

const user = { role: "user", content: "Go on." };

// Contract: responses-8
test("parameters and items that this server does not support are rejected by name", async () => {
  const rejected: readonly (readonly [object, string])[] = [
    [{ input: "hi", prompt: { id: "pmpt_1" } }, "prompt"],
    [{ input: "hi", context_management: [{ type: "compaction" }] }, "context_management"],
    [{ input: [user, { type: "compaction", encrypted_content: "x" }] }, "input[1].type"],
    [{ input: [user, { type: "compaction_trigger" }] }, "input[1].type"],
  ];
  for (const [body, param] of rejected) {
    const { status, error } = await post(body);
    assert.deepEqual([status, error?.code, error?.param], [400, "unsupported_parameter", param]);
    assert.match(error?.message ?? "", /send|use/i);
  }
  assert.equal((await post({ input: "hi", context_management: [], prompt: null })).status, 200);
});

// Contract: responses-9
test("calls of other servers' tools reach the model with their outputs", async () => {
  const shell = { type: "shell_call", call_id: "s1", action: { commands: ["ls"] } };
  const local = { type: "local_shell_call", id: "x", call_id: "l1", action: { command: ["pwd"] } };
  const patch = { type: "apply_patch_call", call_id: "p1", operation: { path: "a.txt" } };
  const input = [
    user,
    shell,
    { type: "shell_call_output", call_id: "s1", output: [{ stdout: "README.md" }] },
    local,
    { type: "local_shell_call_output", id: "l1", output: "/home" },
    patch,
    { type: "apply_patch_call_output", call_id: "p1", status: "failed", output: "no file" },
    { type: "file_search_call", id: "f1", queries: ["cats"], results: [{ text: "Cats purr." }] },
    {
      type: "code_interpreter_call",
      id: "i1",
      code: "1+1",
      outputs: [{ type: "logs", logs: "2" }],
    },
    { type: "image_generation_call", id: "g1", result: "aGk=", output_format: "png" },
    user,
  ];
  const { status, model } = await post({ input });
  assert.equal(status, 200);
  const shown = JSON.stringify(model.requests[0]?.messages);
  for (const text of ["README.md", "/home", "failed: no file", "Cats purr.", "logs", "aGk="])
    assert.ok(shown.includes(text), text);
});

// Contract: responses-9
test("an output of another server's tool without its call is rejected", async () => {
  const { status, error } = await post({
    input: [{ type: "shell_call_output", call_id: "s9", output: [] }],
  });
  assert.equal(status, 400);
  assert.match(error?.message ?? "", /s9/);
});

// Contract: responses-9
test("tools of an additional_tools item are offered", async () => {
  const extra = {
    type: "additional_tools",
    role: "developer",
    tools: [{ type: "function", name: "Pay" }],
  };
  const { model } = await post({ input: [extra, user] });
  assert.deepEqual(
    model.requests[0]?.tools.map((tool) => tool.function.name),
    ["Pay"],
  );
});
