import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { ChainEvent } from "@capstan/core";
import OpenAI from "openai";
import type { RunNotice } from "@capstan/contract";
import { errorResponse, RequestError } from "../http/errors.ts";
import { type CreateRequest, parseCreateRequest } from "./request/parse-request.ts";
import { customForms } from "./client-tools/tool-form.ts";
import { createProjection, type ProjectionOptions } from "./projection/project-events.ts";
import { encodeInChunks, endOfStream } from "../http/streams.ts";
import {
  asked,
  callStarted,
  ended,
  filesServer,
  heartbeat,
  identity,
  numbered,
  proposed,
  roundEnded,
  roundStarted,
  settled,
  textEvents,
  started,
  waiting,
  written,
} from "../testing/run-script.ts";

/* The official client against projected runs, over real HTTP. The request's model names the script. */

type Script = readonly (ChainEvent | RunNotice)[];

const [textStart, textDelta, ...textRest] = textEvents("t", ["Hello", " there"]);
const [argsStart, argsDelta, ...argsRest] = written("call_1", ['{"city":', '"Oslo"}']);

/** The end of a call that returned an image. */
function pictured(callId: string): ChainEvent {
  const event = settled(callId, "[image]");
  assert.ok(event.type === "call.settled");
  const source = { type: "base64", data: "aGk=" } as const;
  const parts = [{ type: "image", mimeType: "image/png", source } as const];
  return { ...event, result: { ...event.result, parts } };
}

const scripts: {
  readonly [model: string]: { readonly script: Script } & Partial<ProjectionOptions>;
} = {
  text: {
    script: [
      started,
      ...textEvents("r", ["hm"], "reasoning"),
      ...textEvents("t", ["Hello", " there"]),
      ended(),
    ],
  },
  json: { script: [started, ...textEvents("t", ['{"answer":', "42}"]), ended()] },
  heartbeats: {
    script: [
      started,
      heartbeat,
      textStart!,
      textDelta!,
      heartbeat,
      ...textRest,
      heartbeat,
      ended(),
    ],
  },
  queued: { script: [heartbeat, heartbeat, started, ...textEvents("t", ["Hello"]), ended()] },
  queuedInBackground: {
    echo: { ...identity.echo, background: true },
    script: [heartbeat, heartbeat, started, ...textEvents("t", ["Hello"]), ended()],
  },
  heartbeatInCall: {
    script: [
      started,
      argsStart!,
      argsDelta!,
      heartbeat,
      ...argsRest,
      roundEnded("tool_calls"),
      waiting("call_1"),
    ],
  },
  server: {
    servers: [filesServer],
    script: [
      started,
      ...textEvents("t0", ["I look."]),
      proposed("a"),
      proposed("b"),
      callStarted("a"),
      callStarted("b"),
      heartbeat,
      settled("b", "no", "error"),
      settled("a", "yes"),
      ...textEvents("t", ["Done."]),
      ended(),
    ],
  },
  approval: {
    servers: [filesServer],
    script: [started, ...textEvents("t", ["May I?"]), proposed("c"), asked("c"), waiting("c")],
  },
  custom: {
    forms: customForms(["Patch"]),
    script: [started, ...written("p", ['{"input":"x"}'], { name: "Patch" }), waiting()],
  },
  limit: { script: [started, ...textEvents("t", ["cut"]), roundEnded("length"), ended()] },
  cutCall: {
    script: [
      started,
      argsStart!,
      argsDelta!,
      { type: "item.end", itemId: "args_call_1", text: '{"city":', incomplete: true },
      roundEnded("length"),
      ended(),
    ],
  },
  image: {
    servers: [filesServer],
    script: [
      started,
      roundStarted(),
      proposed("a"),
      callStarted("a"),
      pictured("a"),
      ...textEvents("t", ["Look."]),
      ended(),
    ],
  },
  refusal: {
    script: [
      started,
      { type: "item.start", itemId: "t", kind: "text", refusal: true },
      { type: "item.delta", itemId: "t", delta: "I cannot." },
      { type: "item.end", itemId: "t", text: "I cannot." },
      roundEnded("stop"),
      ended(),
    ],
  },
  cancelled: { script: [started, textStart!, textDelta!, ended("aborted")] },
  broken: {
    script: [started, ended("error", { code: "server", message: "It broke.", phase: "model" })],
  },
};

let server: Server;
let client: OpenAI;

function streamOf(model: string): {
  readonly events: readonly string[];
  readonly response: object;
} {
  const { script, ...options } = scripts[model]!;
  const projection = createProjection({ ...identity, model, ...options });
  const events = numbered(script).flatMap((event) => projection.push(event));
  return {
    events: events.flatMap((event) => [...encodeInChunks(event)]),
    response: projection.response(),
  };
}

before(async () => {
  server = createServer((request, response) => {
    void answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "local", maxRetries: 0 });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://local");
  if (request.method === "GET") {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const event of streamOf(url.pathname.split("/").at(-1) ?? "").events)
      response.write(event);
    response.end(endOfStream);
    return;
  }
  const chunks = await request.toArray();
  let given: CreateRequest;
  try {
    given = parseCreateRequest(JSON.parse(Buffer.concat(chunks).toString()));
  } catch (thrown) {
    assert.ok(thrown instanceof RequestError);
    response.writeHead(thrown.status, { "Content-Type": "application/json" });
    response.end(await errorResponse(thrown).text());
    return;
  }
  const { events, response: whole } = streamOf(given.model ?? "text");
  if (given.stream) {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const event of events) response.write(event);
    response.end(endOfStream);
  } else {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(whole));
  }
}

after(() => {
  server.closeAllConnections();
  server.close();
});

test("create gives the response and its text", async () => {
  const response = await client.responses.create({ model: "text", input: "hi" });
  assert.equal(response.output_text, "Hello there");
  assert.equal(response.status, "completed");
});

test("create with stream gives every event in order", async () => {
  const stream = await client.responses.create({ model: "text", input: "hi", stream: true });
  let text = "";
  let next = 0;
  for await (const event of stream) {
    assert.equal(event.sequence_number, next);
    next += 1;
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  assert.equal(text, "Hello there");
});

for (const model of Object.keys(scripts).filter((name) => name !== "broken")) {
  test(`the strict stream reader accepts the whole run: ${model}`, async () => {
    const final = await client.responses.stream({ model, input: "hi" }).finalResponse();
    const { output_text: _, ...rest } = final as object & { output_text?: string };
    const expected = streamOf(model).response as { output: readonly object[] };
    const plain = JSON.parse(JSON.stringify(rest)) as { output: readonly object[] };
    assert.equal(plain.output.length, expected.output.length);
    for (const [index, item] of expected.output.entries()) {
      assert.partialDeepStrictEqual(plain.output[index], item);
    }
    assert.partialDeepStrictEqual(plain, expected);
  });
}

test("parse returns the object in the text", async () => {
  const response = await client.responses.parse({
    model: "json",
    input: "hi",
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } },
  });
  assert.equal(response.output_text, '{"answer":42}');
  assert.deepEqual(response.output_parsed, { answer: 42 });
});

test("a stored response is replayed, from the start or from a number", async () => {
  const final = await client.responses.stream({ response_id: "text" }).finalResponse();
  assert.equal(final.output_text, "Hello there");
  const numbers: number[] = [];
  const stream = client.responses.stream({ response_id: "text", starting_after: 3 });
  for await (const event of stream) numbers.push(event.sequence_number);
  assert.equal(numbers[0], 4);
});

test("a failed run is an error with its message", async () => {
  const final = client.responses.stream({ model: "broken", input: "hi" }).finalResponse();
  await assert.rejects(final, /It broke\./);
  const response = await client.responses.create({ model: "broken", input: "hi" });
  assert.deepEqual(response.error, { code: "server_error", message: "It broke." });
});

test("a rejected request is an error with code and param", async () => {
  await assert.rejects(
    client.responses.create({ model: "text", input: "hi", max_output_tokens: 1 }),
    {
      status: 400,
      code: "integer_below_min_value",
      param: "max_output_tokens",
    },
  );
});
