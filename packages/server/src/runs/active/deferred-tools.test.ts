import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest, Tool } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { createTestApp, toyTools } from "../../testing/app-fixtures.ts";
import { asking, tool } from "../../testing/run-fixtures.ts";

const names = ({ tools }: ModelRequest): readonly string[] =>
  tools.map(({ function: { name } }) => name);

const described = (made: Tool, description: string): Tool => ({
  ...made,
  definition: { ...made.definition, function: { ...made.definition.function, description } },
});

const tools = [
  ...Array.from({ length: 100 }, (_, n) => tool(`filler_${n}`, () => n)),
  described(
    tool("sendLetter", () => "sent"),
    "Posts a letter to a customer.",
  ),
  described(
    asking("burnLetter", () => "burnt"),
    "Burns a letter.",
  ),
  described(
    tool("waterPlants", () => "wet"),
    "Gives the plants water.",
  ),
];

const limits = { toolTokens: 1_000 };
const search = (query: string): ScriptedStep => ({
  calls: [{ name: "SearchTools", args: { query } }],
});

function serve(steps: readonly ScriptedStep[], store = openMemoryStore()) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, tools, limits, store });
  const create = async (body: object) =>
    (await app.call("POST", "/v1/responses", { input: "Go.", tools: toyTools, ...body })).body;
  return { model, create, app };
}

test("found tools are loaded after the others, stay loaded in the conversation, and in no other one", async () => {
  const store = openMemoryStore();
  const first = serve(
    [search("water the flowers of the garden plants"), search("a letter"), "Done.", "Fine."],
    store,
  );
  const { id } = await first.create({});
  const [before, found, more] = first.model.requests.map(names);
  assert.deepEqual(before, ["SearchTools"]);
  assert.deepEqual(found, ["SearchTools", "waterPlants"]);
  assert.deepEqual(more, ["SearchTools", "waterPlants", "burnLetter", "sendLetter"]);
  const result = first.model.requests[1]?.messages.at(-1);
  assert.match(String(result?.content), /^- waterPlants \(g\): Gives the plants water\.$/m);
  // Another process continues the conversation.
  const next = serve(["Again."], store);
  await next.create({ previous_response_id: id });
  assert.deepEqual(next.model.requests.map(names), [more]);
  await first.create({});
  assert.deepEqual(first.model.requests.map(names).at(-1), ["SearchTools"]);
});

test("a tool that was called without a search is loaded, and its call passes the gate", async () => {
  const { model, create } = serve([
    { calls: [{ name: "waterPlants" }, { name: "burnLetter" }] },
    "Done.",
  ]);
  const { id, output } = await create({});
  assert.deepEqual(
    output.map(({ type }) => type),
    ["mcp_list_tools", "mcp_approval_request", "mcp_call"],
  );
  await create({
    previous_response_id: id,
    input: output
      .filter(({ type }) => type === "mcp_approval_request")
      .map((item) => ({
        type: "mcp_approval_response",
        approval_request_id: item.id,
        approve: true,
      })),
  });
  assert.deepEqual(model.requests.map(names).at(-1), ["SearchTools", "burnLetter", "waterPlants"]);
});

test("parallel searches load the tools of a round in the same order, whichever ended first", async () => {
  const calls = ["a letter", "water the plants"].map((query) => ({
    name: "SearchTools",
    args: { query },
  }));
  for (const order of [calls, calls.toReversed()]) {
    const { model, create } = serve([{ calls: order }, "Done."]);
    await create({});
    assert.deepEqual(model.requests.map(names)[1]?.slice(1), [
      "burnLetter",
      "sendLetter",
      "waterPlants",
    ]);
  }
});

test("a search finds only what the request offers", async () => {
  const offered = Array.from({ length: 90 }, (_, n) => `filler_${n}`);
  const { model, create } = serve([search("letter"), { calls: [{ name: "sendLetter" }] }, "No."]);
  await create({ tools: [{ ...toyTools[0], allowed_tools: ["waterPlants", ...offered] }] });
  assert.deepEqual(model.requests.map(names)[1], ["SearchTools"]);
  const [miss, refused] = model.requests.slice(1).map(({ messages }) => messages.at(-1)?.content);
  assert.match(String(miss), /No tool matches "letter"/);
  assert.match(String(refused), /There is no tool "sendLetter"/);
});

test("within the limit all tools are offered, and a request without tools gets none", async () => {
  const { model, create } = serve(["Hi.", "Hi."]);
  await create({ tools: [{ ...toyTools[0], allowed_tools: ["waterPlants"] }] });
  await create({ tools: [] });
  assert.deepEqual(model.requests.map(names), [["waterPlants"], []]);
});

test("a choice of a tool shows its definition, and a required call may be a search", async () => {
  const { model, create } = serve([
    { calls: [{ name: "waterPlants" }] },
    "A.",
    search("letter"),
    "B.",
  ]);
  const choice = { type: "mcp", server_label: "g", name: "waterPlants" };
  await create({ tool_choice: choice });
  assert.deepEqual(model.requests.slice(0, 1).map(names), [["waterPlants"]]);
  await create({ tool_choice: "required" });
  assert.equal(model.requests[2]?.toolChoice, "required");
  assert.deepEqual(model.requests.slice(2, 3).map(names), [["SearchTools"]]);
});

test("the count of input tokens does not include deferred definitions", async () => {
  const { app } = serve([]);
  const count = async (given: object) => {
    const { body } = await app.call("POST", "/v1/responses/input_tokens", {
      input: "Go.",
      ...given,
    });
    return (body as unknown as { readonly input_tokens: number }).input_tokens;
  };
  const withTools = (await count({ tools: toyTools })) - (await count({}));
  assert.ok(withTools > 100 && withTools < 700, `${withTools} tokens`);
});

test("tools that were called after a search rank higher for its words", async () => {
  const { model, create } = serve([
    search("hydrate"),
    { calls: [{ name: "waterPlants" }] },
    "Done.",
    search("hydrate"),
    "Done.",
  ]);
  await create({});
  await create({});
  const texts = model.requests.map(({ messages }) => String(messages.at(-1)?.content));
  assert.match(texts[1] ?? "", /No tool matches/);
  assert.match(texts[4] ?? "", /^- waterPlants/m);
});
