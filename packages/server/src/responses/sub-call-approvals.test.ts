import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import OpenAI from "openai";
import type { SettledToolResult } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking, tool } from "../testing/run-fixtures.ts";

/** A tool whose call makes two calls that need an approval. */
function setUp() {
  const called: string[] = [];
  const outer = tool("Outer", async (_args, { callTool }) => {
    called.push("outer");
    const texts: string[] = [];
    for (const name of ["First", "Second"]) {
      const result: SettledToolResult = await callTool(name, { of: name });
      texts.push(`${name} ${result.status}`);
    }
    return texts.join(", ");
  });
  const inner = (name: string) => asking(name, () => called.push(name));
  const model = new ScriptedModel([{ calls: [{ name: "Outer" }] }, "Done.", "And after that."]);
  const tools = [outer, inner("First"), inner("Second")];
  const app = createTestApp({ model, tools });
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    fetch: (url, init) => app.fetch(new Request(String(url), init)),
  });
  return { app, client, called };
}

type Response = OpenAI.Responses.Response;
const given = { model: "test/scripted", tools: toyTools as never };

const questions = ({ output }: Response) =>
  output.filter((item) => item.type === "mcp_approval_request");

/** Answers the approval requests of a response, like a client without Capstan's extensions. */
function answers(response: Response, approve: boolean) {
  return questions(response).map(({ id }) => ({
    type: "mcp_approval_response" as const,
    approval_request_id: id,
    approve,
  }));
}

for (const how of ["plain", "streamed"] as const)
  test(`a client receives and answers the approval requests of sub-calls (${how})`, async () => {
    const { client, called } = setUp();
    const create = async (body: object): Promise<Response> => {
      if (how === "plain") return client.responses.create({ ...given, ...body } as never);
      return client.responses.stream({ ...given, ...body } as never).finalResponse();
    };
    const first = await create({ input: "go" });
    assert.equal(first.status, "completed");
    assert.deepEqual(
      questions(first).map(({ name, arguments: args, server_label: label }) => [name, args, label]),
      [["First", '{"of":"First"}', "g"]],
    );
    const second = await create({ previous_response_id: first.id, input: answers(first, true) });
    assert.deepEqual(
      questions(second).map(({ name }) => name),
      ["Second"],
    );
    const last = await create({ previous_response_id: second.id, input: answers(second, false) });
    assert.equal(last.status, "completed");
    assert.equal(last.output_text, "Done.");
    assert.deepEqual(called, ["outer", "First"]);
    const call = last.output.find((item) => item.type === "mcp_call");
    assert.match(call?.output ?? "", /First success, Second execution_rejected/);
    const after = await create({ previous_response_id: last.id, input: "more" });
    assert.equal(after.output_text, "And after that.");
  });

// Contract: plugins-76
test("a polling client sees the approval request, and input besides its answer gets a 409", async () => {
  const { client, called } = setUp();
  const begun = await client.responses.create({ ...given, input: "go", background: true });
  let response = begun;
  while (response.status !== "completed") {
    // Requests in one process would otherwise take no turn of the event loop.
    await setTimeout(1);
    response = await client.responses.retrieve(begun.id);
  }
  assert.equal(questions(response)[0]?.name, "First");
  const input = [...answers(response, true), { role: "user" as const, content: "more" }];
  await assert.rejects(
    client.responses.create({ ...given, previous_response_id: begun.id, input }, { maxRetries: 0 }),
    /409.*Send only the approvals/,
  );
  assert.deepEqual(called, ["outer"]);
});
