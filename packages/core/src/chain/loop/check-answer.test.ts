import assert from "node:assert/strict";
import { test } from "node:test";
import { executorWith } from "../../testing/executor-with.ts";
import { ScriptedModel, type ScriptedStep } from "../../testing/scripted-model.ts";
import { runToolChain } from "../run-tool-chain.ts";

const usage = { inputTokens: 10, outputTokens: 5 };
const schema = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
};

async function run(script: readonly ScriptedStep[], strict = true) {
  const model = new ScriptedModel(script);
  const restarts: string[] = [];
  const result = await runToolChain({
    executor: executorWith([]),
    model,
    contextMessages: [{ role: "user", content: "Count." }],
    chatOption: { responseFormat: { type: "json_schema", name: "count", schema, strict } },
    onEvent: (event) => {
      if (event.type === "model.restarted") restarts.push(event.reason);
    },
  }).result;
  return { result, model, restarts };
}

// Contract: loop-106
test("an answer that does not match the strict schema is asked for once more", async () => {
  for (const bad of ['{"n":"one"}', "One.", '{"n":1,"m":2}', '"{}"']) {
    const { result, model, restarts } = await run([
      { text: bad, usage },
      { text: '{"n":1}', usage },
    ]);
    assert.deepEqual([result.status, result.answer, restarts.length], ["completed", '{"n":1}', 1]);
    assert.equal(result.messages.toolChain.length, 1);
    const [shown, note] = model.requests[1]?.messages.slice(-2) ?? [];
    assert.deepEqual(shown, { role: "assistant", content: bad });
    assert.match(String(note?.content), /does not match the JSON schema "count"/);
    assert.deepEqual(result.usage, { inputTokens: 20, outputTokens: 10 });
  }
});

// Contract: loop-106
test("after a second mismatch, the error names the schema and the problem", async () => {
  const { result, restarts } = await run(["One.", '{"n":"one"}']);
  assert.deepEqual([result.status, result.error?.code], ["error", "format_mismatch"]);
  assert.match(result.error?.message ?? "", /"count" either: .*\/n/);
  assert.deepEqual([result.answer, restarts.length], ["", 2]);
});

// Contract: loop-106
test("refusals, cut answers and schemas that are not strict are not checked", async () => {
  const stop = { type: "finish", reason: "stop", usage } as const;
  const refusal = { events: [{ type: "refusal-delta", text: "No." } as const, stop] };
  assert.equal((await run([refusal])).result.answer, "No.");
  const cut = { type: "finish", reason: "length", usage } as const;
  const half = { events: [{ type: "text-delta", text: '{"n":' } as const, cut] };
  assert.equal((await run([half])).result.answer, '{"n":');
  assert.equal((await run(["One."], false)).result.answer, "One.");
});
