import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ApprovalDecision,
  type ChainEvent,
  defineTool,
  ModelError,
  runToolChain,
  type ToolChainOptions,
  ToolExecutor,
} from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { identity, numbered } from "../../testing/run-script.ts";
import { assertStreamGrammar, partText } from "../../testing/stream-grammar.ts";
import type { ResponseObject } from "./wire.ts";
import { createProjection, type ProjectionOptions } from "./project-events.ts";

/* Tests the projection with events of the real loop. */

const parameters = { type: "object", properties: { n: { type: "integer" } } } as const;
const readFile = defineTool({
  name: "Read",
  description: "Reads.",
  parameters,
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: async ({ n }, { output }) => {
    // Later calls end first.
    await new Promise((resolve) => setTimeout(resolve, 12 - 4 * Number(n)));
    output.write("reading");
    return `file ${String(n)}`;
  },
});
const writeFile = defineTool({
  name: "Write",
  description: "Writes.",
  parameters,
  permission: { executionPolicy: "ask-always" },
  execute: () => "written",
});
const report = defineTool({
  name: "Report",
  description: "Reports.",
  effects: "read",
  permission: { executionPolicy: "auto" },
  final: true,
  execute: async (_args, { output }) => {
    output.write("All is ");
    await new Promise((resolve) => setTimeout(resolve, 2));
    output.write("well.");
  },
});
const weather = { type: "function", function: { name: "Weather", parameters } } as const;

function executor(): ToolExecutor {
  const made = new ToolExecutor({ approvals: { request: () => ({ decision: "pending" }) } });
  made.registerToolGroup({ name: "files", tools: [readFile, writeFile, report] });
  made.toggleGroupEnabled("files", true);
  return made;
}

const servers = [
  { label: "files", group: "files", tools: [{ name: "Read", input_schema: parameters }] },
];

async function respond(
  script: readonly ScriptedStep[],
  chain: Partial<ToolChainOptions> = {},
  options: Partial<ProjectionOptions> = {},
) {
  const events: ChainEvent[] = [];
  const run = runToolChain({
    executor: executor(),
    model: new ScriptedModel(script, { chunk: 3 }),
    contextMessages: [{ role: "user", content: "Go." }],
    clientTools: [weather],
    onEvent: (event) => events.push(event),
    ...chain,
  });
  const result = await run.result;
  const projection = createProjection({ ...identity, servers, ...options });
  const stream = numbered(events).flatMap((event) => projection.push(event));
  assertStreamGrammar(stream, { closed: true });
  return { result, response: projection.response() };
}

function shortly({ output }: ResponseObject): readonly unknown[] {
  return output.map((item) => {
    switch (item.type) {
      case "message":
        return item.content.map(partText).join();
      case "mcp_call":
        return [item.name, item.arguments, item.output ?? item.error?.content[0]?.text];
      case "function_call":
        return [item.call_id, item.name, item.arguments, item.status];
      default:
        return item.type;
    }
  });
}

test("parallel calls are followed by the answer", async () => {
  const calls = [1, 2, 3].map((n) => ({ name: "Read", args: { n } }));
  const { response } = await respond([{ reasoning: "hm", text: "I look.", calls }, "All done."]);
  assert.deepEqual(shortly(response), [
    "mcp_list_tools",
    "reasoning",
    "I look.",
    ["Read", '{"n":1}', "file 1"],
    ["Read", '{"n":2}', "file 2"],
    ["Read", '{"n":3}', "file 3"],
    "All done.",
  ]);
  assert.equal(response.status, "completed");
});

test("a final tool's text is the message that ends the response, after the other calls of its round", async () => {
  const calls = [{ name: "Read", args: { n: 1 } }, { name: "Report" }];
  const { result, response } = await respond([{ text: "I look.", calls }]);
  assert.deepEqual(shortly(response), [
    "mcp_list_tools",
    "I look.",
    ["Read", '{"n":1}', "file 1"],
    "All is well.",
  ]);
  assert.equal(response.status, "completed");
  assert.equal(result.answer, "I look.\n\nAll is well.");
});

// Contract: plugins-52
test("of two calls in one step, the server's call runs and the client's call is returned", async () => {
  const calls = [
    { name: "Weather", args: { n: 1 }, id: "call_w" },
    { name: "Read", args: { n: 1 } },
  ];
  const { result, response } = await respond([{ calls }]);
  assert.equal(result.status, "requires_action");
  assert.equal(response.status, "completed");
  assert.deepEqual(shortly(response), [
    "mcp_list_tools",
    ["call_w", "Weather", '{"n":1}', "completed"],
    ["Read", '{"n":1}', "file 1"],
  ]);
});

test("an approval spans two responses", async () => {
  const first = await respond([{ calls: [{ name: "Write", args: { n: 1 }, id: "call_1" }] }]);
  assert.deepEqual(shortly(first.response), ["mcp_list_tools", "mcp_approval_request"]);
  assert.equal(first.response.status, "completed");
  const { state } = first.result;
  const answerWith = (decision: ApprovalDecision) =>
    respond(["So be it."], {
      resume: { state, adopted: true, answers: [{ callId: "call_1", decision }] },
    });
  const allowed = await answerWith({ decision: "allow" });
  assert.deepEqual(shortly(allowed.response), [
    "mcp_list_tools",
    ["Write", '{"n":1}', "written"],
    "So be it.",
  ]);
  const item = allowed.response.output[1];
  assert.ok(item?.type === "mcp_call");
  assert.equal(item.approval_request_id, first.response.output[1]?.id);
  const refused = await answerWith({ decision: "refuse", reason: "no" });
  assert.deepEqual(shortly(refused.response), ["mcp_list_tools", "So be it."]);
});

test("a model that fails during its answer fails the response, which keeps the partial answer", async () => {
  const error = new ModelError({ code: "connection", message: "The connection was lost." });
  const { response } = await respond([{ error, after: "Half an ans" }]);
  assert.equal(response.status, "failed");
  assert.equal(response.error?.message, "The connection was lost.");
  assert.deepEqual(shortly(response), ["mcp_list_tools", "Half an ans"]);
});

test("a truncated call is never marked complete", async () => {
  async function* cut() {
    yield { type: "tool-call-start", id: "call_w", name: "Weather" } as const;
    yield { type: "tool-call-delta", id: "call_w", delta: '{"n":' } as const;
    throw new ModelError({ code: "connection", message: "The connection was lost." });
  }
  const { response } = await respond([{ events: cut() }]);
  assert.equal(response.status, "failed");
  assert.deepEqual(shortly(response), [
    "mcp_list_tools",
    ["call_w", "Weather", '{"n":', "incomplete"],
  ]);
});

test("a call without a tool is not shown, and the response continues", async () => {
  const { response } = await respond([{ calls: [{ name: "Nothing" }] }, "Sorry."]);
  assert.deepEqual(shortly(response), ["mcp_list_tools", "Sorry."]);
});
