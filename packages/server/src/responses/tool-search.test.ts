import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";
import { assertStreamGrammar } from "../testing/stream-grammar.ts";
import type { OutputItem, ResponseStreamEvent } from "./projection/wire.ts";

const named = (name: string, description: string, more: object = {}) => ({
  type: "function",
  name,
  description,
  parameters: { type: "object", properties: {} },
  ...more,
});
const deferred = { defer_loading: true };
const tools = [
  { type: "tool_search" },
  named("hello", "Greets."),
  named("pay_invoice", "Pays an invoice.", deferred),
  {
    type: "namespace",
    name: "crm",
    description: "Customers.",
    tools: [
      named("find_customer", "Finds a customer.", deferred),
      named("other", "Other.", deferred),
    ],
  },
  { ...toyTools[0], ...deferred },
];
const names = ({ tools: given }: ModelRequest) => given.map(({ function: { name } }) => name);
const search = (query: string): ScriptedStep => ({
  calls: [{ name: "SearchTools", args: { query } }],
});

function serve(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const own = [tool("waterPlants", () => "wet"), tool("burnLetter", () => "burnt")];
  const app = createTestApp({ model, tools: own });
  const create = async (body: object) => (await app.call("POST", "/v1/responses", body)).body;
  return { app, model, create };
}

// Contract: responses-19
test("tool_search of the server finds deferred tools, and its calls are items of that type", async () => {
  const { model, create } = serve([
    search("customer"),
    search("pay an invoice"),
    search("water"),
    { calls: [{ name: "crm__find_customer" }] },
    "Done.",
  ]);
  const { id, output } = await create({ input: "Go.", tools });
  const [before] = model.requests.map(names);
  assert.deepEqual(before, ["SearchTools", "hello"]);
  assert.deepEqual(model.requests.map(names).at(-1), [
    "SearchTools",
    "hello",
    "crm__find_customer",
    "pay_invoice",
    "waterPlants",
  ]);
  const items = output as unknown as readonly OutputItem[];
  assert.deepEqual(
    items.map(({ type }) => type),
    [
      "mcp_list_tools",
      ...[1, 2, 3].flatMap(() => ["tool_search_call", "tool_search_output"]),
      "function_call",
    ],
  );
  const [call, found] = items.slice(1);
  assert.deepEqual(call, {
    id: call?.id,
    type: "tool_search_call",
    status: "completed",
    call_id: null,
    execution: "server",
    arguments: { query: "customer" },
  });
  const outputs = items.filter((item) => item.type === "tool_search_output");
  assert.deepEqual(
    outputs.map((item) => item.tools),
    [
      [{ ...tools[3], tools: [named("find_customer", "Finds a customer.", deferred)] }],
      [named("pay_invoice", "Pays an invoice.", { strict: null, ...deferred })],
      [
        {
          type: "mcp",
          server_label: "g",
          server_url: "capstan://groups/g",
          allowed_tools: ["waterPlants"],
        },
      ],
    ],
  );
  assert.match(found?.id ?? "", /^tso_/);
  // The client continues with the response, or with the items themselves.
  const answer = { type: "function_call_output", call_id: "call_4", output: "Ann" };
  await create({ previous_response_id: id, input: [answer], tools });
  assert.ok(names(model.requests.at(-1) as ModelRequest).includes("pay_invoice"));
});

test("items of an earlier search keep the found tools offered", async () => {
  const { model, create } = serve(["Hi."]);
  const found = {
    type: "tool_search_output",
    call_id: null,
    execution: "server",
    tools: [named("pay_invoice", "Pays an invoice.", deferred)],
  };
  const asked = { type: "tool_search_call", call_id: null, execution: "server", arguments: {} };
  const input = [asked, found, { type: "message", role: "user", content: "Go on." }];
  await create({ input, tools });
  assert.deepEqual(model.requests.map(names), [["SearchTools", "hello", "pay_invoice"]]);
});

test("streams of searches follow the grammar", async () => {
  const { app } = serve([search("customer"), search("qwertz"), "Done."]);
  const body = { input: "Go.", tools, stream: true };
  const response = await app.fetch(requestTo("POST", "/v1/responses", body));
  const events = (await response.text())
    .split("\n")
    .flatMap((line) =>
      line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as ResponseStreamEvent] : [],
    );
  assertStreamGrammar(events);
});

test("without tool_search, deferred tools are offered at once, and searches have no items", async () => {
  const { model, create } = serve(["Hi."]);
  await create({ input: "Go.", tools: tools.slice(1) });
  assert.equal(model.requests.map(names)[0]?.length, 6);
});

for (const [what, given, param] of [
  ["parameters", [{ type: "tool_search", parameters: {} }], "tools[0].parameters"],
  ["description", [{ type: "tool_search", description: "x" }], "tools[0].description"],
  ["two searches", [{ type: "tool_search" }, { type: "tool_search" }], "tools[1].type"],
  [
    "searches of both sides",
    [{ type: "tool_search", execution: "client" }, { type: "tool_search" }],
    "tools[1].type",
  ],
] as const)
  test(`tool_search of the server with ${what} is rejected by name`, async () => {
    const { create } = serve([]);
    const { error } = await create({ input: "Go.", tools: given });
    assert.equal(error?.param, param);
  });

test("the search of the server cannot be chosen", async () => {
  const { create } = serve([]);
  const { error } = await create({ input: "Go.", tools, tool_choice: { type: "tool_search" } });
  assert.equal(error?.param, "tool_choice");
});
