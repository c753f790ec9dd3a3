import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

const schema = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
};
const text = { format: { type: "json_schema", name: "count", schema, strict: true } } as const;

function clientOf(...steps: readonly ScriptedStep[]) {
  const app = createTestApp({ model: new ScriptedModel(steps) });
  return new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: (url, init) => app.fetch(new Request(String(url), init)),
  });
}

const asked = { model: "test/scripted", input: "Count.", text };

// Contract: responses-7
test("OpenAI's client parses the accepted answer, with and without a stream", async () => {
  const script = ['{"n":"one"}', '{"n":1}'];
  const parsed = await clientOf(...script).responses.parse(asked);
  assert.deepEqual(parsed.output_parsed, { n: 1 });
  const final = await clientOf(...script)
    .responses.stream(asked)
    .finalResponse();
  assert.deepEqual(final.output_parsed, { n: 1 });
});

// Contract: responses-7
test("a second mismatch is a failed response that names the schema", async () => {
  const response = await clientOf("One.", "Two.").responses.create(asked);
  assert.equal(response.status, "failed");
  assert.deepEqual(response.output, []);
  assert.match(response.error?.message ?? "", /does not match the JSON schema "count"/);
});

// Contract: responses-7
test("a schema that cannot be checked is rejected by name", async () => {
  const broken = { ...text.format, schema: { type: "nothing" } };
  await assert.rejects(clientOf().responses.create({ ...asked, text: { format: broken } }), {
    status: 400,
    param: "text.format.schema",
  });
});
