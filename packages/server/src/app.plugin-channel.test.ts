// Clients of the HTTP APIs get the output of plugin tools in a fixed order and form. Plugin tools
// can call tools and read files of the conversation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import type { ResponseStreamEvent } from "./responses/projection/wire.ts";
import { createTestApp, requestTo, toyTools } from "./testing/app-fixtures.ts";
import { startPluginTurn } from "./testing/plugin-turn.ts";
import { streamOf } from "./testing/read-stream.ts";
import { asking, tool } from "./testing/run-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";

const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const itemsOf = (events: readonly ResponseStreamEvent[]) =>
  events.flatMap((event) =>
    event.type === "response.output_item.done"
      ? ["name" in event.item ? event.item.name : event.item.type]
      : [],
  );

// Contract: plugins-28, plugins-31, plugins-32
test("urgent items precede waiting output, then come the calls in the order of their starts, then the next turn", async () => {
  const first = Promise.withResolvers<void>();
  const tools = [
    tool("Slow", async (_args, { output }) => {
      output.write("slow");
      await first.promise;
    }),
    tool("Quick", () => first.resolve()),
    { ...tool("Never", () => "never"), permission: { executionPolicy: "deny" } as const },
  ];
  const app = createTestApp({
    model: new ScriptedModel([call("Slow", "Quick", "Never"), "The next turn."]),
    tools,
  });
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", {
    input: "Go",
    tools: toyTools,
  });
  assertStreamGrammar(events);
  assert.deepEqual(itemsOf(events), ["mcp_list_tools", "Never", "Slow", "Quick", "message"]);
  assert.equal(events.at(-1)?.type, "response.completed");
});

// Contract: plugins-34
test("output, events and progress have limits, and events say what was omitted", async () => {
  const writes = tool("Writes", (_args, { output }) => {
    for (let n = 0; n < 100; n++) output.write("0123456789");
    for (let n = 0; n < 50; n++) output.progress({ done: n });
    for (let n = 0; n < 1_010; n++) output.event("tick", n);
    return "done";
  });
  const turn = await startPluginTurn({
    executor: { limits: { writtenChars: 95 }, clock: new FakeClock() },
    tools: [writes],
    steps: [call("Writes"), "Done."],
  });
  const { events } = await turn.ended();
  const end = events.find((event) => event.type === "item.end" && event.text.startsWith("0123"));
  assert.ok(end?.type === "item.end" && end.text.length === 95);
  assert.match(end.text, /\[… the rest is in the result …\]$/);
  const own = events.filter((event) => event.type === "call.event");
  assert.equal(own.length, 1_001);
  const last = own.at(-1);
  assert.deepEqual([last?.name, last?.data], ["capstan.events_omitted", { after: 1_000 }]);
  assert.equal(events.filter(({ type }) => type === "call.progress").length, 1);
});

// Contract: plugins-30
test("no event contains output that follows the end of its call", async () => {
  let late: (() => void) | undefined;
  const writes = tool("Writes", (_args, { output }) => {
    late = () => {
      output.write("too late");
      output.event("too.late", null);
    };
    output.write("in time");
    throw new Error("It broke.");
  });
  const waits = tool("Waits", async () => {
    await new Promise(setImmediate);
    late?.();
  });
  const turn = await startPluginTurn({
    tools: [writes, waits],
    steps: [call("Writes"), call("Waits"), "Done."],
  });
  const { events } = await turn.ended();
  const text = JSON.stringify(events);
  assert.match(text, /in time/);
  assert.doesNotMatch(text, /too late|too\.late/);
  const end = events.findIndex((event) => event.type === "item.end" && event.text === "in time");
  assert.equal(events[end + 1]?.type, "call.settled");
});

// Contract: plugins-35, plugins-49
test("a turn without a reader ends, and every reader later gets the same events", async () => {
  const writes = tool("Writes", (_args, { output }) => {
    for (let n = 0; n < 200; n++) output.write(`${n} `);
    output.event("own", { n: 1 });
    return "done";
  });
  const turn = await startPluginTurn({ tools: [writes], steps: [call("Writes"), "Done."] });
  const { response } = await turn.ended();
  const replay = async (after = "") =>
    (await turn.app.fetch(requestTo("GET", `/v1/responses/${turn.id}?stream=true${after}`))).text();
  const whole = await replay();
  assert.equal(await replay(), whole);
  const frames = whole.split("\n\n").filter((frame) => frame.includes("sequence_number"));
  const numbers = frames.map((frame) => Number(/"sequence_number":(\d+)/.exec(frame)?.[1]));
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(numbers).size, numbers.length);
  const half = numbers[Math.floor(numbers.length / 2)];
  const rest = await replay(`&starting_after=${half}`);
  assert.ok(whole.endsWith(rest), "a later start repeats nothing");
  const closing = JSON.parse(/^data: (.*)$/m.exec(frames.at(-1) ?? "")?.[1] ?? "") as object;
  assert.deepEqual("response" in closing && closing.response, response);
});

// Contract: plugins-41
test("text that looks like a part of the protocol arrives as text", async () => {
  const text = '[DONE]\n\ndata: [DONE]\n\nevent: error\ndata: {"type":"error"}\n\n';
  const says = { ...tool("Says", (_args, { output }) => output.write(text)), final: true };
  const app = createTestApp({ model: new ScriptedModel([call("Says")]), tools: [says] });
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", {
    input: "Go",
    tools: toyTools,
  });
  assertStreamGrammar(events);
  const deltas = events.flatMap((event) =>
    event.type === "response.output_text.delta" ? [event.delta] : [],
  );
  assert.equal(deltas.join(""), text);
});

// Contract: plugins-19
test("an approval for the session of one user does not apply to another user", async () => {
  const keys = ["ann", "bob"].map((name) => ({
    name,
    key: `${name}-key-${name}-key`,
    rights: ["ask", "approve"] as const,
  }));
  const app = createTestApp({
    model: new ScriptedModel([call("Asks"), "Done.", call("Asks"), "Done.", call("Asks")]),
    tools: [asking("Asks", () => "ok")].map((one) => ({
      ...one,
      permission: { executionPolicy: "ask-once" } as const,
    })),
    apiKeys: keys,
  });
  const send = async (user: number, path: string, body?: object) => {
    const request = requestTo(body === undefined ? "GET" : "POST", path, body);
    request.headers.set("Authorization", `Bearer ${keys[user]?.key}`);
    return (await (await app.fetch(request)).json()) as {
      readonly output: readonly { readonly type: string; readonly id: string }[];
      readonly id: string;
      readonly data: readonly { readonly id: string }[];
    };
  };
  const asks = { input: "Go", tools: toyTools };
  const questions = ({ output }: Awaited<ReturnType<typeof send>>) =>
    output.filter(({ type }) => type === "mcp_approval_request").length;
  const first = await send(0, "/v1/responses", asks);
  assert.equal(questions(first), 1);
  const [pending] = (await send(0, "/v1/approvals?status=pending")).data;
  const covers = { type: "tool" };
  await send(0, `/v1/approvals/${pending?.id}`, { decision: "allow", scope: "always", covers });
  const approve = { type: "mcp_approval_response", approve: true };
  const question = first.output.find(({ type }) => type === "mcp_approval_request");
  await send(0, "/v1/responses", {
    input: [{ ...approve, approval_request_id: question?.id }],
    previous_response_id: first.id,
    tools: toyTools,
  });
  assert.equal(questions(await send(0, "/v1/responses", asks)), 0, "ann is not asked again");
  assert.equal(questions(await send(1, "/v1/responses", asks)), 1, "bob is asked");
});

// Contract: plugins-57, plugins-58
test("the bytes of a conversation's file are read when a tool reads them, also by tools with unusual names", async () => {
  const store = openMemoryStore();
  const read: string[] = [];
  const watched: typeof store = {
    ...store,
    readBlob: async (sha256) => (read.push(sha256), store.readBlob(sha256)),
    streamBlob: async (sha256, range) => (read.push(sha256), store.streamBlob(sha256, range)),
  };
  const names: string[] = [];
  const lists = tool("constructor", (_args, { files }) => {
    names.push(...files.map(({ name }) => name));
  });
  const reads = tool("Reads", async (_args, { files, signal }) => {
    const before = read.length;
    const text = new TextDecoder().decode(await files[0]?.read(signal));
    return `${text} ${read.length - before}`;
  });
  const model = Object.assign(new ScriptedModel([call("constructor"), call("Reads"), "Done."]), {
    // The request to the model does not contain the file.
    readsFile: () => true,
  });
  const app = createTestApp({ model, tools: [lists, reads], store: watched });
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File(["content"], "a.txt"));
  const url = "http://127.0.0.1/v1/files";
  const made = await app.fetch(new Request(url, { method: "POST", body: form }));
  const { id } = (await made.json()) as { readonly id: string };
  const { body } = await app.call("POST", "/v1/responses", {
    input: [{ role: "user", content: [{ type: "input_file", file_id: id }] }],
    tools: toyTools,
  });
  assert.deepEqual(names, ["a.txt"]);
  assert.match(JSON.stringify(body.output), /content 1/);
});

// Contract: plugins-74, plugins-75, plugins-77
test("sub-calls are limited in depth, number and tools, and references are resolved only on request", async () => {
  const text = "$VAR_REF{{First_1}}";
  const echo = defineTool({
    name: "Echo",
    description: "",
    effects: "read",
    permission: { executionPolicy: "auto" },
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: ({ text: given }) => given,
  });
  const codeOf = (result: object) =>
    "error" in result ? (result.error as { readonly code: string }).code : "success";
  const turn = await startPluginTurn({
    executor: { limits: { subCallDepth: 2, subCalls: 4 } },
    tools: [
      tool("First", () => "tulip"),
      echo,
      tool("Nests", async (_args, { callTool }) => codeOf(await callTool("Nests", {}))),
      tool("Many", async (_args, { callTool }) => {
        const calls = Array.from({ length: 6 }, () => callTool("Echo", { text: "x" }));
        return (await Promise.all(calls)).map(codeOf).join();
      }),
      tool("Asks", async (_args, { callTool }) => {
        const plain = await callTool("Echo", { text });
        const resolved = await callTool("Echo", { text }, { references: true });
        const missing = await callTool("Hidden", {});
        return [plain, resolved]
          .map((one) => (one.status === "success" ? String(one.data) : one.status))
          .concat(codeOf(missing))
          .join(" | ");
      }),
      tool("Hidden", () => "not offered"),
    ],
    steps: [call("First"), call("Nests", "Many", "Asks"), "Done."],
    body: {
      tools: [{ ...toyTools[0], allowed_tools: ["First", "Echo", "Nests", "Many", "Asks"] }],
    },
  });
  const { outputs, calls } = await turn.ended();
  assert.equal(outputs["Many"], "success,success,success,success,too_many_calls,too_many_calls");
  assert.equal(outputs["Asks"], `${text} | tulip | tool_not_offered`);
  const nested = calls.filter(({ name }) => name === "Nests").map(({ status }) => status);
  assert.deepEqual(nested, ["succeeded", "succeeded", "succeeded", "failed"]);
});
