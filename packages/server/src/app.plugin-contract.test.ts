// The contract of plugin tools, as a client of the HTTP APIs meets it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts, defineTool, type ToolContext, toolError } from "@capstan/core";
import { type ScriptedStep, ScriptedModel } from "@capstan/core/testing";
import type { ResponseStreamEvent } from "./responses/projection/wire.ts";
import { createTestApp, toyTools } from "./testing/app-fixtures.ts";
import { readRunEvents, streamOf } from "./testing/read-stream.ts";
import { tool } from "./testing/run-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";

const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const ask = { input: "Go", tools: toyTools };
type Item = { readonly type: string; readonly name?: string; readonly output?: string | null };

const appWith = (
  steps: readonly ScriptedStep[],
  tools: Parameters<typeof createTestApp>[0]["tools"],
) => {
  const model = new ScriptedModel(steps);
  return { model, app: createTestApp({ model, ...(tools && { tools }) }) };
};

const outputs = (output: readonly object[]) =>
  (output as readonly Item[]).flatMap(({ type, name = "", output: text = null }) =>
    type === "mcp_call" ? [[name, text] as const] : [],
  );

// Contract: plugins-1, plugins-2, plugins-3, plugins-16, plugins-17, plugins-21
test("a tool is listed and offered by its definition, and gets valid arguments and its context", async () => {
  const seen: unknown[] = [];
  const add = defineTool({
    name: "Add",
    description: "Adds two numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    effects: "read",
    permission: { executionPolicy: "auto" },
    execute: ({ a, b }, { toolId, principal, idempotencyKey, signal }: ToolContext) => {
      seen.push([toolId, principal.id, idempotencyKey !== "", signal.aborted]);
      return Number(a) + Number(b);
    },
  });
  const calls = [
    { name: "Add", args: { a: "2", b: 3 } },
    { name: "Add", args: "{broken" },
    { name: "Add", args: { a: 1 } },
  ];
  const { model, app } = appWith([{ calls }, "Done."], [add]);
  const { body } = await app.call("POST", "/v1/responses", ask);
  const [list] = body.output as readonly { readonly tools?: readonly object[] }[];
  assert.partialDeepStrictEqual(list?.tools?.[0], {
    name: "Add",
    description: "Adds two numbers.",
  });
  const offered = model.requests[0]?.tools.find((one) => one.function.name === "Add");
  assert.equal(offered?.function.description, "Adds two numbers.");
  // Calls that never ran have ended when the first one starts.
  assert.deepEqual(outputs(body.output), [
    ["Add", null],
    ["Add", null],
    ["Add", "5"],
  ]);
  assert.deepEqual(seen, [["g.Add", "local", true, false]], "invalid arguments never reach it");
  const read = JSON.stringify(model.requests[1]?.messages);
  assert.match(read, /not valid JSON|not JSON|cannot be read|invalid_arguments/);
  assert.match(read, /\/b is required/);
});

// Contract: plugins-22, plugins-23, plugins-24, plugins-25, plugins-26
test("results of each kind reach the client, and one failure changes no other call", async () => {
  const tools = [
    tool("Data", () => ({ rows: 2 })),
    tool("Parts", () =>
      contentParts([
        { type: "text", text: "two" },
        { type: "link", url: "https://a.example/", title: "A" },
      ]),
    ),
    tool("Fails", () => toolError({ code: "down", message: "It is down.", retryable: true })),
    tool("Throws", () => {
      throw new Error("It broke.");
    }),
    tool("Nothing", () => undefined),
    tool("Wrong", () => contentParts([{ type: "text" } as never])),
  ];
  const names = ["Data", "Parts", "Fails", "Throws", "Nothing", "Wrong"];
  const { model, app } = appWith([call(...names), "Done."], tools);
  const { body } = await app.call("POST", "/v1/responses", ask);
  assert.equal(body.status, "completed");
  const given = new Map(outputs(body.output));
  assert.deepEqual([...given.keys()].toSorted(), names.toSorted());
  assert.equal(given.get("Data"), '{"rows":2}');
  assert.equal(given.get("Parts"), "two\n[A](https://a.example/)");
  assert.equal(given.get("Nothing"), "(no result)");
  for (const name of ["Fails", "Throws", "Wrong"]) assert.equal(given.get(name), null, name);
  const read = JSON.stringify(model.requests[1]?.messages);
  for (const text of ["It is down.", "It broke.", "unusable_result"])
    assert.ok(read.includes(text));
});

// Contract: plugins-20, plugins-27, plugins-29, plugins-36, plugins-38, plugins-39, plugins-42
test("parallel calls stream as whole items in their order, before the next turn", async () => {
  const first = Promise.withResolvers<void>();
  const slow = tool("Slow", async (_args, { output }) => {
    output.write("slow ");
    await first.promise;
    output.write("output");
    return "slow";
  });
  const quick = tool("Quick", (_args, { output }) => {
    output.write("quick output");
    output.progress({ done: 1, total: 1 });
    first.resolve();
    return "quick";
  });
  const { app } = appWith([call("Slow", "Quick"), "Done."], [slow, quick]);
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", ask);
  assertStreamGrammar(events);
  const done = events.flatMap((event) =>
    event.type === "response.output_item.done" ? [event.item as Item] : [],
  );
  assert.deepEqual(
    done.map(({ type, name }) => name ?? type),
    ["mcp_list_tools", "Slow", "Quick", "message"],
  );
});

// Contract: plugins-40, plugins-43, plugins-48
test("output, progress and custom events have their call's id in the events of the run", async () => {
  const data = { list: [1] };
  const writes = tool("Writes", (_args, { output }) => {
    output.write("said");
    output.progress({ message: "half", done: 1, total: 2 });
    output.event("own.stage", data);
    data.list.push(2);
    return "done";
  });
  const { app } = appWith([call("Writes"), "Done."], [writes]);
  const { body } = await app.call("POST", "/v1/responses", ask);
  const events = await readRunEvents(app, body.id);
  const own = events.flatMap((event) => ("callId" in event ? [event] : []));
  assert.ok(own.every(({ callId }) => callId === "call_1"));
  const kinds = own.map(({ type }) => type);
  for (const kind of [
    "call.proposed",
    "call.started",
    "call.progress",
    "call.event",
    "call.settled",
  ])
    assert.ok(kinds.includes(kind as never), kind);
  const custom = own.find((event) => event.type === "call.event");
  assert.deepEqual(custom?.type === "call.event" && [custom.name, custom.data], [
    "own.stage",
    { list: [1] },
  ]);
});

// Contract: plugins-37, plugins-46, plugins-47, plugins-50, plugins-51, plugins-52, plugins-53
test("client and server calls arrive before the closing event, and outputs continue the turn", async () => {
  const parameters = { type: "object", properties: { x: { type: "integer" } } };
  const clientTools = [
    { type: "function", name: "Local", description: "Runs there.", parameters },
    { type: "custom", name: "Free", description: "Takes text." },
    { type: "local_shell" },
  ];
  const calls = [
    { name: "Server" },
    { name: "Local", args: { x: 1 } },
    { name: "Free", args: { input: "plain text" } },
  ];
  const { model, app } = appWith([{ calls }, "All done."], [tool("Server", () => "from here")]);
  const tools = [...toyTools, ...clientTools];
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", { ...ask, tools });
  assertStreamGrammar(events);
  const closing = events.at(-1);
  assert.ok(closing !== undefined && "response" in closing);
  const { id, output } = closing.response;
  const types = output.map(({ type }) => type).toSorted();
  assert.deepEqual(types, ["custom_tool_call", "function_call", "mcp_call", "mcp_list_tools"]);
  assert.ok(events.some(({ type }) => type === "response.custom_tool_call_input.done"));
  const sent = model.requests[0]?.tools.find((one) => one.function.name === "Local");
  assert.deepEqual(sent?.function.parameters, parameters);
  const answers = output.flatMap((item) =>
    "call_id" in item ? [{ type: `${item.type}_output`, call_id: item.call_id, output: "ok" }] : [],
  );
  const next = await app.call("POST", "/v1/responses", {
    input: answers,
    previous_response_id: id,
    tools,
  });
  assert.equal(next.body.status, "completed");
  assert.match(JSON.stringify(model.requests[1]?.messages), /from here.*ok.*ok/);
});

// Contract: plugins-72, plugins-73, plugins-78
test("a tool calls another through the same gate, and the record names its parent", async () => {
  const inner = tool("Inner", () => "inner");
  const outer = tool("Outer", async (_args, { callTool }) => {
    const result = await callTool("Inner", {});
    return result.status === "success" ? result.data : result.status;
  });
  const { app } = appWith([call("Outer"), "Done."], [inner, outer]);
  const { body } = await app.call("POST", "/v1/responses", ask);
  assert.deepEqual(outputs(body.output), [["Outer", "inner"]]);
  const events = await readRunEvents(app, body.id);
  const sub = events.find((event) => event.type === "call.proposed" && event.name === "Inner");
  assert.equal(sub?.type === "call.proposed" && sub.parentCallId, "call_1");
});
