import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { type Answer, createTestApp } from "../testing/app-fixtures.ts";

const clientTool = { type: "function", name: "C", parameters: { type: "object" } };
const called: ScriptedStep = { calls: [{ name: "C", id: "call_1" }] };
const go = { role: "user", content: "go" };

const output = (callId: string, text: unknown = "OUTPUT") => ({
  type: "function_call_output",
  call_id: callId,
  output: text,
});

/** An app whose model plays these steps, and the messages that it read last. */
function appWith(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model });
  return {
    create: (body: object) => app.call("POST", "/v1/responses", { tools: [clientTool], ...body }),
    list: (id: string) => app.call("GET", `/v1/responses/${id}/input_items?order=asc`),
    sent: (): readonly Message[] =>
      model.requests.at(-1)?.messages.filter(({ role }) => role !== "system") ?? [],
    requests: model.requests,
  };
}

const shortly = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);

const callOf = ({ body }: Answer) => body.output.find(({ type }) => type === "function_call")!;

// Contract: history-4
test("an output with an image reaches the model in every form", async () => {
  const picture = [
    { type: "input_text", text: "see" },
    { type: "input_image", image_url: "https://example.org/a.png" },
  ];
  const { create, sent } = appWith(Array.from({ length: 8 }, () => [called, "done"]).flat());
  for (const form of ["bare", "reference", "full", "previous"]) {
    const first = await create({ input: [go] });
    const call = callOf(first) as unknown as { readonly id: string; readonly call_id: string };
    const stated = {
      bare: [],
      reference: [{ type: "item_reference", id: call.id }],
      full: [go, call],
      previous: [],
    }[form];
    const { status } = await create({
      input: [...(stated ?? []), output(call.call_id, picture)],
      ...(form === "previous" && { previous_response_id: first.body.id }),
    });
    assert.equal(status, 200);
    const last = sent().at(-1);
    assert.ok(last?.role === "tool", form);
    assert.equal(last.content, "see");
    assert.deepEqual(
      last.parts?.map((part) => part.type),
      ["text", "image"],
      form,
    );
  }
});

// Contract: history-5
test("a repeated output is read once, and a second, different one is rejected", async () => {
  const { create, sent, requests } = appWith([called, "done"]);
  await create({ input: [go] });
  const different = await create({ input: [output("call_1"), output("call_1", "another")] });
  assert.equal(different.status, 400);
  assert.equal(different.body.error?.param, "input[1].output");
  assert.match(different.body.error?.message ?? "", /second, different output of the call call_1/);
  assert.equal(requests.length, 1);
  assert.equal((await create({ input: [output("call_1"), output("call_1")] })).status, 200);
  assert.equal(sent().filter(({ role }) => role === "tool").length, 1);
});

// Contract: history-6
test("an output of an unknown call and a reference to an unknown item are errors that name them", async () => {
  const { create, requests } = appWith([called]);
  const first = await create({ input: [go] });
  for (const previous of [undefined, first.body.id]) {
    const { status, body } = await create({
      input: [output("call_9")],
      ...(previous !== undefined && { previous_response_id: previous }),
    });
    assert.equal(status, 400);
    assert.match(body.error?.message ?? "", /call_id call_9\./);
  }
  const { status, body } = await create({ input: [{ type: "item_reference", id: "msg_9" }] });
  assert.equal(status, 404);
  assert.match(body.error?.message ?? "", /'msg_9' not found \(input\[0\]\)/);
  assert.equal(requests.length, 1);
});

// Contract: history-7
test("a full history that its client has edited or shortened is read as stated", async () => {
  const { create, sent } = appWith(["hello", called, "done", "done"]);
  const greeted = await create({ input: [{ role: "user", content: "hi" }] });
  const history = [{ role: "user", content: "hi" }, ...greeted.body.output, go];
  const call = callOf(await create({ input: history }));
  await create({ input: [go, call, output("call_1")] });
  assert.deepEqual(shortly(sent()), ['user: "go"', 'assistant: ""', 'tool: "OUTPUT"']);
  const edited = { role: "user", content: "hi there" };
  await create({ input: [edited, ...greeted.body.output, go, call, output("call_1")] });
  assert.deepEqual(shortly(sent()), [
    'user: "hi there"',
    'assistant: "hello"',
    'user: "go"',
    'assistant: ""',
    'tool: "OUTPUT"',
  ]);
});

// Contract: history-8
test("a message is a repeat only before an item that the parent has", async () => {
  const { create, sent, list } = appWith([called, "done", "again"]);
  const first = await create({ input: [go] });
  const second = await create({
    previous_response_id: first.body.id,
    input: [{ role: "user", content: "and this" }, go, callOf(first), output("call_1"), go],
  });
  const turn = ['user: "go"', 'assistant: ""', 'tool: "OUTPUT"', 'user: "and this"', 'user: "go"'];
  assert.deepEqual(shortly(sent()), turn);
  const { data } = (await list(second.body.id)).body as unknown as {
    readonly data: readonly { readonly type: string }[];
  };
  assert.deepEqual(
    data.map(({ type }) => type),
    ["message", "function_call_output", "message"],
  );
  await create({ previous_response_id: second.body.id, input: [go] });
  assert.deepEqual(shortly(sent()), [...turn, 'assistant: "done"', 'user: "go"']);
});

test("calls and outputs of earlier rounds of the turn are dropped, and the newest is answered", async () => {
  const again: ScriptedStep = { calls: [{ name: "C", id: "call_2" }] };
  for (const names of ["reference", "full"]) {
    const { create, sent } = appWith([called, again, "done"]);
    const stated = (answer: Answer) => {
      const call = callOf(answer);
      return names === "full" ? call : { type: "item_reference", id: call.id };
    };
    const first = await create({ input: [go] });
    const input = [go, stated(first), output("call_1", "first")];
    const second = await create({ input });
    const { status } = await create({
      input: [...input, stated(second), output("call_2", "second")],
    });
    assert.equal(status, 200);
    assert.deepEqual(shortly(sent()), [
      'user: "go"',
      'assistant: ""',
      'tool: "first"',
      'assistant: ""',
      'tool: "second"',
    ]);
  }
});

test("a call id that the client used before does not take the output of the model's new call", async () => {
  const { create, sent } = appWith([called, "done"]);
  const old = { type: "function_call", call_id: "call_1", name: "C", arguments: "{}" };
  const history = [go, old, output("call_1", "old"), { role: "user", content: "once more" }];
  const first = await create({ input: history });
  const call = callOf(first) as unknown as { readonly id: string; readonly call_id: string };
  const reference = { type: "item_reference", id: call.id };
  await create({ input: [...history, reference, output(call.call_id, "new")] });
  const results = sent().flatMap((each) => (each.role === "tool" ? [each.content] : []));
  assert.deepEqual(results, ["old", "new"]);
});
