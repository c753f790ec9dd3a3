import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, toolOf } from "@capstan/core/testing";
import { type FakeService, sendJson, startFakeService } from "../service/testing/fake-service.ts";
import { mediaTools } from "./media-tools.ts";
import { formOf, givenFile, mp3, png, recordingContext } from "./testing/media-fixtures.ts";

/** Answers like a local server: without streaming, usage and metadata. */
const local: FakeService["answer"] = (_request, response) =>
  sendJson(response, { text: " Hello there. " });

let service: FakeService;
before(async () => {
  service = await startFakeService(local);
});
beforeEach(() => {
  service.answer = local;
  service.requests.length = 0;
});
after(() => service[Symbol.asyncDispose]());

const files = [
  givenFile("file-1", "note", mp3),
  givenFile("file-2", "p.png", Buffer.from(png, "base64")),
];
const tool = () =>
  toolOf(
    mediaTools({ roots: [], transcription: { url: `${service.url}/v1`, model: "whisper-1" } }),
    "TranscribeAudio",
  );
const defaults = { audio: "file-1", timestamps: false };
const said = (args: object = {}, context = recordingContext({ files })) =>
  callForText(tool(), { ...defaults, ...args }, context);

async function failure(args: object = {}): Promise<ToolErrorData> {
  const result = await call(tool(), { ...defaults, ...args }, recordingContext({ files }));
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("a reply with nothing but its text is a transcript", async () => {
  assert.equal(await said({ language: "en", prompt: "Capstan" }), "Hello there.");
  const [request] = service.requests;
  assert.ok(request !== undefined);
  assert.equal(request.url.pathname, "/v1/audio/transcriptions");
  const form = await formOf(request);
  const file = form.get("file") as File;
  // Services derive the type from the name.
  assert.deepEqual([file.name, file.type, file.size], ["note.mp3", "audio/mpeg", mp3.length]);
  assert.deepEqual(
    ["model", "response_format", "language", "prompt", "stream"].map((name) => form.get(name)),
    ["whisper-1", "json", "en", "Capstan", "true"],
  );
});

test("a plain-text reply is a transcript, and the result mentions that it is empty", async () => {
  service.answer = (_request, response) =>
    response.writeHead(200, { "content-type": "text/plain" }).end("Hello.\n");
  assert.equal(await said(), "Hello.");
  service.answer = (_request, response) => sendJson(response, { text: "" });
  assert.equal(await said(), "[The recording contains no speech.]");
});

test("timestamps are segments, with language and length", async () => {
  service.answer = (_request, response) =>
    sendJson(response, {
      task: "transcribe",
      language: "english",
      duration: "3725.4",
      text: "One. Two.",
      segments: [
        { id: 0, start: 0, end: 2.5, text: " One.", tokens: [] },
        { id: 1, start: 3661.2, end: 3725, text: " Two." },
      ],
    });
  assert.equal(
    await said({ timestamps: true }),
    "[language: english, length: 1:02:05]\n[0:00–0:02] One.\n[1:01:01–1:02:05] Two.",
  );
  const form = await formOf(service.requests[0] ?? assert.fail());
  assert.deepEqual(
    ["response_format", "timestamp_granularities[]", "stream"].map((name) => form.get(name)),
    ["verbose_json", "segment", null],
  );
  service.answer = local;
  assert.match(
    await said({ timestamps: true }),
    /^\[The service returned no timestamps\.\]\nHello/,
  );
});

test("a streamed transcript is output chunk by chunk", async () => {
  service.answer = (_request, response) =>
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).end(
      [
        { type: "transcript.text.delta", delta: "Hel" },
        { type: "transcript.text.delta", delta: "lo." },
        { type: "transcript.text.done", text: "Hello.", usage: { type: "tokens" } },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(""),
    );
  const context = recordingContext({ files });
  assert.equal(await said({}, context), "Hello.");
  assert.deepEqual(context.written, ["Hel", "lo."]);
  service.answer = (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end('data: {"type":"transcript.text.delta","delta":"Hel"}\n\n');
  assert.match((await failure()).message, /before the transcript was complete/);
});

test("a field that the service does not support is omitted in a second request", async () => {
  service.answer = (request, response) => {
    if (!request.body.includes('name="prompt"')) return local(request, response);
    sendJson(response, { error: "unsupported parameter: prompt" }, { status: 400 });
  };
  assert.equal(
    await said({ prompt: "Capstan" }),
    "[The service does not support prompt, which had no effect.]\nHello there.",
  );
});

test("files of other types, and replies without a text, have error codes", async () => {
  assert.equal((await failure({ audio: "file-2" })).code, "wrong_type");
  service.answer = (_request, response) => sendJson(response, { error: { message: "busy" } });
  const { code, message } = await failure();
  assert.equal(code, "unexpected_reply");
  assert.match(message, /busy/);
});
