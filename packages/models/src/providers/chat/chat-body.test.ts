import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelRequest } from "@capstan/core";
import { toCallOptions } from "../request/to-call-options.ts";
import { chatBody } from "./chat-body.ts";

const provider = { id: "custom", wire: "openai-compatible", url: "http://models.example" } as const;

/** Returns the JSON of a request's body. */
function bodyOf(request: Partial<ModelRequest>): { readonly [name: string]: unknown } {
  const messages = [{ role: "user", content: "Hello" }] as const;
  const options = toCallOptions({ messages, tools: [], ...request }, provider);
  const body = chatBody(options, { providerId: provider.id, modelName: "llama" });
  return JSON.parse(JSON.stringify(body)) as { readonly [name: string]: unknown };
}

test("sends no fields that the request does not have", () => {
  assert.deepEqual(bodyOf({}), {
    model: "llama",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("sends settings and formats under their names in Chat Completions", () => {
  const schema = { type: "object", properties: {} };
  const format = { type: "json_schema", name: "answer", schema, strict: true } as const;
  const body = bodyOf({
    topP: 0.5,
    presencePenalty: 1,
    frequencyPenalty: 2,
    stop: ["."],
    seed: 7,
    verbosity: "low",
    responseFormat: format,
  });
  const json_schema = { name: "answer", schema, strict: true };
  const {
    model: _model,
    messages: _messages,
    stream: _stream,
    stream_options: _options,
    ...settings
  } = body;
  assert.deepEqual(settings, {
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: 2,
    stop: ["."],
    seed: 7,
    verbosity: "low",
    response_format: { type: "json_schema", json_schema },
  });
  const { response_format: any } = bodyOf({ responseFormat: { type: "json_object" } });
  assert.deepEqual(any, { type: "json_object" });
  assert.equal(bodyOf({ responseFormat: { type: "text" } })["response_format"], undefined);
});

// Contract: model-messages-5
test("sends images, audio, video and PDFs as parts", () => {
  const data = "AAAA";
  const file = (name: string, mimeType: string) =>
    ({ type: "file", name, mimeType, source: { type: "base64", data } }) as const;
  const url = "https://example.org/a.png";
  const { messages } = bodyOf({
    messages: [
      {
        role: "user",
        content: [
          { type: "image", mimeType: "image/png", source: { type: "url", url }, detail: "low" },
          { type: "image", mimeType: "image/jpeg", source: { type: "base64", data } },
          file("a.wav", "audio/wav"),
          file("a.mp3", "audio/mpeg"),
          file("a.mp4", "video/mp4"),
          file("a.pdf", "application/pdf"),
        ],
      },
    ],
  });
  const content = [
    { type: "image_url", image_url: { url, detail: "low" } },
    { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } },
    { type: "input_audio", input_audio: { data, format: "wav" } },
    { type: "input_audio", input_audio: { data, format: "mp3" } },
    { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } },
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
  ];
  assert.deepEqual(messages, [{ role: "user", content }]);
});
