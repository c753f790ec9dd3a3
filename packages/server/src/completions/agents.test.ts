import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const path = "/v1/chat/completions";
const agents = { reader: { instructions: "Read first.", groups: [{ group: "g" }] } };

interface Answer {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly { readonly message: object; readonly delta: object }[];
}

for (const stream of [false, true])
  test(`an agent's calls run invisibly, and its name is the model (stream ${stream})`, async () => {
    const model = new ScriptedModel([{ calls: [{ name: "Read" }] }, "It says x."]);
    const app = createTestApp({ model, tools: [tool("Read", () => "x")], agents });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ];
    const body = { model: "reader", messages, store: true, stream };
    const response = await app.fetch(requestTo("POST", path, body));
    const text = await response.text();
    const answers = stream
      ? text
          .split("\n\n")
          .filter((event) => event.startsWith("data: {"))
          .map((event) => JSON.parse(event.slice(6)) as Answer)
      : [JSON.parse(text) as Answer];
    assert.ok(answers.every((answer) => answer.model === "reader"));
    assert.doesNotMatch(text, /tool_calls|Read|reasoning_content/);
    const [first, second] = model.requests[0]?.messages ?? [];
    assert.match(String(first?.content), /^Read first\.\n\n<tool-rules>/);
    assert.equal(second?.content, "Be brief.");
    const kept = await app.fetch(requestTo("GET", `${path}/${answers[0]?.id ?? ""}`));
    assert.equal(((await kept.json()) as Answer).model, "reader");
  });

test("an unknown agent is a 404", async () => {
  const app = createTestApp({ model: new ScriptedModel([]), modelIds: [] });
  const messages = [{ role: "user", content: "Hello" }];
  const response = await app.fetch(requestTo("POST", path, { model: "agent/none", messages }));
  assert.equal(response.status, 404);
});
