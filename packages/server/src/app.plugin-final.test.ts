// Clients of the HTTP APIs see the answers of final tools, without hidden parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Tool, toolError, withAnnotations } from "@capstan/core";
import type { ResponseStreamEvent } from "./responses/projection/wire.ts";
import { startPluginTurn } from "./testing/plugin-turn.ts";
import { streamOf } from "./testing/read-stream.ts";
import { tool } from "./testing/run-fixtures.ts";
import { createTestApp, toyTools } from "./testing/app-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";
import { ScriptedModel } from "@capstan/core/testing";
import type { EndedTurn } from "./testing/plugin-turn.ts";

const call = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const final = (
  name: string,
  execute: Parameters<typeof tool>[1],
  more: Pick<Tool, "permission"> = {},
): Tool => ({ ...tool(name, execute), final: true, ...more });
const reviewed = {
  permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
} as const;

const texts = ({ response }: EndedTurn) =>
  response.output.flatMap((item) =>
    item.type === "message"
      ? item.content.map((part) => ("text" in part ? part.text : part.refusal))
      : [],
  );

// Contract: plugins-5, plugins-10
test("messages of final tools follow in the order of their starts, after all calls of the round", async () => {
  const first = Promise.withResolvers<void>();
  const tools = [
    final("Slow", async (_args, { output }) => {
      await first.promise;
      output.write("from slow");
    }),
    final("Quick", (_args, { output }) => {
      output.write("from ");
      output.write("quick");
      first.resolve();
    }),
    tool("Plain", () => "plain"),
  ];
  const app = createTestApp({ model: new ScriptedModel([call("Slow", "Quick", "Plain")]), tools });
  const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", {
    input: "Go",
    tools: toyTools,
  });
  assertStreamGrammar(events);
  const closing = events.at(-1);
  assert.ok(closing?.type === "response.completed");
  const items = closing.response.output.map((item) => ("name" in item ? item.name : item.type));
  assert.deepEqual(items, ["mcp_list_tools", "message", "message", "Plain"]);
  const deltas = events.flatMap((event) =>
    event.type === "response.output_text.delta" ? [event.delta] : [],
  );
  assert.equal(deltas.join("|"), "from slow|from quick");
});

// Contract: plugins-6
test("a final tool that fails, is denied, withheld or silent does not end the turn", async () => {
  const turn = await startPluginTurn({
    tools: [
      final("Fails", (_args, { output }) => {
        output.write("I begin, ");
        return toolError({ code: "broken", message: "It broke." });
      }),
      final("Denied", () => "no", { permission: { executionPolicy: "deny" } }),
      final("Withheld", () => "1234", reviewed),
      final("Silent", () => undefined),
    ],
    steps: [call("Fails", "Denied", "Withheld", "Silent"), "It did not work."],
  });
  await turn.answer({ decision: "withhold" });
  const ended = await turn.ended();
  assert.equal(texts(ended).at(-1), "It did not work.");
  assert.deepEqual(texts(ended).slice(0, -1), ["I begin, "], "text that was shown stays");
  const cut = ended.events.find((event) => event.type === "item.end" && event.text === "I begin, ");
  assert.equal(cut?.type === "item.end" && cut.incomplete, true);
  const read = JSON.stringify(turn.model.requests[1]?.messages);
  assert.match(read, /It broke\./);
  assert.doesNotMatch(JSON.stringify([read, ended]), /1234/);
});

// Contract: plugins-7, plugins-80
test("a final tool's answer in review is shown after its release, with its sources if it is unchanged", async () => {
  const source = { type: "url_citation", url: "https://a.example/" } as const;
  for (const [answer, text, cited] of [
    [{ decision: "release" }, "The code is 1234.", 1],
    [{ decision: "redact", words: ["1234"] }, "The code is [redacted].", 0],
  ] as const) {
    const turn = await startPluginTurn({
      tools: [final("Secret", () => withAnnotations("The code is 1234.", [source]), reviewed)],
      steps: [call("Secret")],
    });
    await turn.answer(answer);
    const ended = await turn.ended();
    const [shown = ""] = texts(ended);
    assert.ok(shown.startsWith(text), shown);
    const released = ended.events.findIndex(({ type }) => type === "review.answered");
    assert.ok(released > 0);
    assert.doesNotMatch(JSON.stringify(ended.events.slice(0, released)), /1234|a\.example/);
    const message = ended.response.output.find((item) => item.type === "message");
    const [part] = message?.type === "message" ? message.content : [];
    assert.equal(part?.type === "output_text" && part.annotations.length, cited);
  }
});

// Contract: plugins-8
test("a final tool that another tool calls is an ordinary tool", async () => {
  const turn = await startPluginTurn({
    tools: [
      final("Says", (_args, { output }) => output.write("inner")),
      tool("Outer", async (_args, { callTool }) => {
        const result = await callTool("Says", {});
        return result.status === "success" ? result.data : result.status;
      }),
    ],
    steps: [call("Outer"), "The model's answer."],
  });
  const ended = await turn.ended();
  assert.deepEqual(texts(ended), ["The model's answer."]);
  assert.equal(ended.outputs["Outer"], "inner");
});

// Contract: plugins-9
test("a final tool's answer is in its call's record, and in the history of the next response", async () => {
  const turn = await startPluginTurn({
    tools: [final("Says", () => "Said.")],
    steps: [call("Says"), "More."],
  });
  const { calls } = await turn.ended();
  assert.deepEqual(
    calls.map(({ name, answer, status }) => [name, answer, status]),
    [["Says", "Said.", "succeeded"]],
  );
  await turn.app.call("POST", "/v1/responses", { input: "And?", previous_response_id: turn.id });
  const read = turn.model.requests[1]?.messages.map(({ role, content }) => [role, content]);
  assert.ok(JSON.stringify(read).includes('["assistant","Said."]'), JSON.stringify(read));
});

// Contract: plugins-13
test("a tool with hidden output has events of its call and its result, but not of its output", async () => {
  const whispers = tool("Whispers", (_args, { output }) => {
    output.write("whisper");
    output.progress({ message: "whisper" });
    output.event("whisper", "whisper");
    return "the result";
  });
  const turn = await startPluginTurn({
    tools: [{ ...whispers, output: "hidden" }],
    steps: [call("Whispers"), "Done."],
  });
  const { events, outputs } = await turn.ended();
  assert.doesNotMatch(JSON.stringify(events), /"whisper"/);
  assert.equal(events.filter(({ type }) => type === "call.settled").length, 1);
  assert.equal(outputs["Whispers"], "the result");
});

// Contract: plugins-80
test("invalid sources are an error of the call that names them", async () => {
  const wrong = { type: "url_citation", url: "javascript:alert(1)" } as const;
  const turn = await startPluginTurn({
    tools: [tool("Search", () => withAnnotations("found", [wrong]))],
    steps: [call("Search"), "Done."],
  });
  const { outputs, response } = await turn.ended();
  assert.match(outputs["Search"] ?? "", /annotation 0 is invalid at url/);
  assert.doesNotMatch(JSON.stringify(response), /javascript:/);
});
