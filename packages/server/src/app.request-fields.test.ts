// The treatment of each field of a request, and of parts that have no effect.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { Model, ModelEvent, ModelRequest, TokenLogprob } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { completionFields } from "./completions/completion-fields.ts";
import { createCompletionFold } from "./completions/project-completion.ts";
import type { FieldTreatments } from "./http/fields/ignored-fields.ts";
import type { ResponseObject, ResponseStreamEvent } from "./responses/projection/wire.ts";
import { responseFields } from "./responses/request/response-fields.ts";
import { createTestApp, requestTo, type TestApp } from "./testing/app-fixtures.ts";
import { streamOf } from "./testing/read-stream.ts";
import { tool } from "./testing/run-fixtures.ts";
import { assertStreamGrammar } from "./testing/stream-grammar.ts";

const completions = "/v1/chat/completions";
const hello = [{ role: "user", content: "Hello" }];

/** The names of the fields of an interface of the installed `openai` package. */
function sdkFields(file: string, name: string): readonly string[] {
  const types = fileURLToPath(import.meta.resolve("openai/resources/index")).replace(
    /index\.m?js$/,
    file,
  );
  const text = readFileSync(types, "utf8");
  const begin = text.indexOf(`export interface ${name} {`);
  assert.ok(begin >= 0, name);
  const body = text.slice(begin, text.indexOf("\n}", begin));
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = ""]) => field).toSorted();
}

/** The rows of the table of request fields on a page of the reference. */
function documentedFields(page: string): FieldTreatments {
  const file = new URL(`../../../docs/reference/${page}`, import.meta.url);
  const [, section = ""] = readFileSync(file, "utf8").split("\n## Requests\n");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| (`[^|]*`) \| (\w+) \|/gm) ?? [];
  return Object.fromEntries(
    [...rows].flatMap(([, names = "", treatment = ""]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, treatment]),
    ),
  ) as FieldTreatments;
}

for (const { page, fields, file, name, own } of [
  {
    page: "chat-completions.md",
    fields: completionFields,
    file: "chat/completions/completions.d.ts",
    name: "ChatCompletionCreateParamsBase",
    own: [],
  },
  {
    page: "responses.md",
    fields: responseFields,
    file: "responses/responses.d.ts",
    name: "ResponseCreateParamsBase",
    own: ["approvals", "frequency_penalty", "history", "presence_penalty", "tool_outputs"],
  },
])
  // Contract: responses-17
  test(`${page} says what happens to each field that the openai package can send`, () => {
    const known = sdkFields(file, name);
    assert.ok(known.length > 25);
    assert.deepEqual(Object.keys(fields).toSorted(), [...known, ...own].toSorted());
    assert.deepEqual(documentedFields(page), fields);
  });

async function ignoredOf(app: TestApp, path: string, body: object): Promise<string | null> {
  const response = await app.fetch(requestTo("POST", path, body));
  assert.equal(response.status, 200, await response.clone().text());
  await response.text();
  return response.headers.get("capstan-ignored");
}

const values: { readonly [field: string]: unknown } = {
  audio: { voice: "alloy", format: "mp3" },
  logit_bias: { 50256: -100 },
  stream_options: { include_obfuscation: true },
  truncation: "auto",
  service_tier: "flex",
};

for (const [path, fields, input] of [
  [completions, completionFields, { messages: hello }],
  ["/v1/responses", responseFields, { input: "Hello" }],
] as const)
  for (const stream of [false, true])
    // Contract: responses-17
    test(`${path} names each ignored field in a header (stream ${stream})`, async () => {
      const names = Object.keys(fields).filter(
        (name) => (fields as FieldTreatments)[name] === "ignored",
      );
      const app = createTestApp({ model: new ScriptedModel(["Hi", "Hi", "Hi"]) });
      const given = Object.fromEntries(names.map((name) => [name, values[name] ?? { a: 1 }]));
      const unknown = { ...given, made_up: 1, quiet: null };
      assert.equal(
        await ignoredOf(app, path, { ...input, ...unknown, stream }),
        [...names, "made_up"].toSorted().join(", "),
      );
      const defaults = { service_tier: "auto", truncation: "disabled", stream_options: {} };
      const own = Object.fromEntries(
        Object.entries(defaults).filter(([name]) => names.includes(name)),
      );
      assert.equal(await ignoredOf(app, path, { ...input, ...own, stream }), null);
    });

test("parts of a response's request without an effect are named", async () => {
  const app = createTestApp({ model: new ScriptedModel(["Hi"]) });
  const body = {
    input: "Hello",
    include: ["reasoning.encrypted_content", "made.up", "message.output_text.logprobs"],
    reasoning: { effort: "low", summary: "auto" },
    tools: [{ type: "web_search" }, { type: "made_up" }],
  };
  assert.equal(
    await ignoredOf(app, "/v1/responses", body),
    "include.made.up, include.message.output_text.logprobs, reasoning.summary, tools.made_up, tools.web_search",
  );
});

test("web_search_options offer the tool that is bound to web_search", async () => {
  const model = new ScriptedModel(["Hi", "Hi"]);
  const search = tool("Search", () => "found");
  const bound = createTestApp({ model, tools: [search], hostedTools: { web_search: "g.Search" } });
  const body = { messages: hello, web_search_options: { search_context_size: "low" } };
  assert.equal(await ignoredOf(bound, completions, body), null);
  assert.ok(model.requests[0]?.tools.some((one) => one.function.name === "Search"));
  const unbound = createTestApp({ model: new ScriptedModel(["Hi"]) });
  assert.equal(await ignoredOf(unbound, completions, body), "web_search_options");
});

const token = (text: string): TokenLogprob => ({
  token: text,
  logprob: -0.5,
  bytes: [...Buffer.from(text)],
  top: [{ token: "other", logprob: -3 }],
});
const wireToken = (text: string) => ({
  token: text,
  logprob: -0.5,
  bytes: [...Buffer.from(text)],
  top_logprobs: [{ token: "other", logprob: -3, bytes: [...Buffer.from("other")] }],
});
const words = ["Hel", "lo"];

/** A model that writes two tokens, with log probabilities if the request asks for them. */
function tokenModel(
  texts: readonly string[] = words,
): Model & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "test/tokens",
    givesLogprobs: true,
    requests,
    async *stream(request): AsyncGenerator<ModelEvent> {
      requests.push(request);
      for (const text of texts)
        yield {
          type: "text-delta",
          text,
          ...(request.logprobs !== undefined && { logprobs: [token(text)] }),
        };
      yield { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 2 } };
    },
  };
}

// Contract: responses-18
test("a chat completion has the log probabilities that it asks for, whole and streamed", async () => {
  const model = tokenModel();
  const app = createTestApp({ model });
  const asked = { messages: hello, logprobs: true, top_logprobs: 1, store: true };
  const expected = { content: words.map(wireToken), refusal: null };
  const { body } = await app.call("POST", completions, asked);
  const choiceOf = (whole: unknown) =>
    (whole as { choices: readonly { logprobs: unknown; delta?: object }[] }).choices[0];
  assert.deepEqual(choiceOf(body)?.logprobs, expected);
  assert.deepEqual(model.requests[0]?.logprobs, { top: 1 });
  assert.deepEqual((await app.call("GET", `${completions}/${body.id}`)).body, body);
  const streamed = await app.fetch(requestTo("POST", completions, { ...asked, stream: true }));
  assert.equal(streamed.headers.get("capstan-ignored"), null);
  const chunks = (await streamed.text())
    .split("\n\n")
    .flatMap((line) => (line.startsWith("data: {") ? [choiceOf(JSON.parse(line.slice(6)))] : []));
  const written = chunks.filter((each) => each?.logprobs != null);
  assert.deepEqual(
    written.map((each) => [each?.delta, each?.logprobs]),
    words.map((text) => [{ content: text }, { content: [wireToken(text)], refusal: null }]),
  );
  const plain = await app.call("POST", completions, { messages: hello });
  assert.equal(choiceOf(plain.body)?.logprobs, null);
  const wrong = await app.call("POST", completions, { messages: hello, top_logprobs: 1 });
  assert.deepEqual([wrong.status, wrong.body.error?.param], [400, "top_logprobs"]);
});

for (const strict of [false, true])
  // Contract: responses-18
  test(`a response has the log probabilities that it includes (strict schema ${strict})`, async () => {
    const words = strict ? ['{"a":', "1}"] : ["Hel", "lo"];
    const app = createTestApp({ model: tokenModel(words) });
    const format = { type: "json_schema", name: "f", schema: { type: "object" }, strict: true };
    const body = {
      input: "Hi",
      include: ["message.output_text.logprobs"],
      top_logprobs: 1,
      ...(strict && { text: { format } }),
    };
    const events = await streamOf<ResponseStreamEvent>(app, "/v1/responses", body);
    assertStreamGrammar(events);
    const deltas = events.flatMap((event) =>
      event.type === "response.output_text.delta" ? event.logprobs : [],
    );
    assert.deepEqual(deltas, words.map(wireToken));
    const done = events.find((event) => event.type === "response.output_text.done");
    assert.ok(done?.type === "response.output_text.done");
    assert.deepEqual(done.logprobs, words.map(wireToken));
    const last = events.at(-1) as { readonly response: ResponseObject };
    const [message] = last.response.output;
    assert.ok(message?.type === "message");
    const [part] = message.content;
    assert.ok(part?.type === "output_text");
    assert.deepEqual(part.logprobs, words.map(wireToken));
    const { body: again } = await app.call("GET", `/v1/responses/${last.response.id}`);
    assert.deepEqual(again, last.response);
  });

test("log probabilities that follow a joined delta are sent with the end of its text", () => {
  const events = [
    { seq: 1, type: "item.start", itemId: "i", kind: "text" },
    { seq: 2, type: "item.logprobs", itemId: "i", logprobs: [token("Hel")] },
    { seq: 3, type: "item.delta", itemId: "i", delta: "Hello" },
    { seq: 4, type: "item.logprobs", itemId: "i", logprobs: [token("lo")] },
    { seq: 6, type: "item.end", itemId: "i", text: "Hello" },
  ] as const;
  const fold = createCompletionFold({ customTools: [] });
  const pieces = events.flatMap((event) => fold(event));
  assert.deepEqual(
    pieces.map(
      (piece) => "logprobs" in piece && [piece.text, piece.logprobs?.map((one) => one.token)],
    ),
    [
      ["Hello", ["Hel"]],
      ["", ["lo"]],
    ],
  );
});
