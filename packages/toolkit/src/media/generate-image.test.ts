import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  type ContentPart,
  type ContentParts,
  isToolError,
  type ToolContext,
  type ToolErrorData,
} from "@capstan/core";
import { call, toolOf } from "@capstan/core/testing";
import { type FakeService, sendJson, startFakeService } from "../service/testing/fake-service.ts";
import { mediaTools, type MediaToolsOptions } from "./media-tools.ts";
import { jpeg, png, recordingContext } from "./testing/media-fixtures.ts";

/** Answers like OpenAI: Base64, a revised prompt, and a stream if requested. */
const openai: FakeService["answer"] = ({ body }, response) => {
  const fields = JSON.parse(body.toString()) as Record<string, unknown>;
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  if (fields["stream"] !== true)
    return sendJson(response, {
      created: 1,
      size: "1024x1024",
      data: Array.from({ length: Number(fields["n"] ?? 1) }, () => ({
        b64_json: png,
        revised_prompt: "a red boat",
      })),
      usage,
    });
  const send = (event: object & { type: string }) =>
    response.write(`event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(": comment\r\n\r\n");
  // Fewer partial images than requested, which OpenAI allows.
  send({
    type: "image_generation.partial_image",
    b64_json: jpeg,
    partial_image_index: 0,
  } as never);
  send({ type: "image_generation.completed", b64_json: png, usage } as never);
  response.end();
};

let service: FakeService;
before(async () => {
  service = await startFakeService(openai);
});
beforeEach(() => {
  service.answer = openai;
  service.requests.length = 0;
});
after(() => service[Symbol.asyncDispose]());

const tool = (options: Partial<MediaToolsOptions> = {}) =>
  toolOf(
    mediaTools({
      roots: [],
      images: { url: `${service.url}/v1`, model: "gpt-image-2", key: "sk-secret" },
      ...options,
    }),
    "GenerateImage",
  );

const defaults = { prompt: "a boat", n: 1, partial_images: 0 };

async function parts(args: object = {}, context: ToolContext = recordingContext()) {
  const result = await call<ContentParts>(tool(), { ...defaults, ...args }, context);
  assert.ok(!isToolError(result), JSON.stringify(result));
  return result.parts;
}

async function failure(
  args: object = {},
  context: ToolContext = recordingContext(),
  options: Partial<MediaToolsOptions> = {},
): Promise<ToolErrorData> {
  const result = await call(tool(options), { ...defaults, ...args }, context);
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 200));
  return result;
}

const textOf = ([part]: readonly ContentPart[]) => (part?.type === "text" ? part.text : "");
const sent = (at = -1) =>
  JSON.parse(String(service.requests.at(at)?.body)) as Record<string, unknown>;

test("the result has an image part, with the type from its bytes and the revised prompt", async () => {
  const result = await parts({ size: "1024x1024", quality: "high", output_format: "webp" });
  assert.deepEqual(result, [
    {
      type: "text",
      text: "1 image of gpt-image-2, 1x1.\nThe service used the prompt: a red boat",
    },
    {
      type: "image",
      mimeType: "image/png",
      name: "image.png",
      source: { type: "base64", data: png },
    },
  ]);
  assert.deepEqual(sent(), {
    model: "gpt-image-2",
    prompt: "a boat",
    size: "1024x1024",
    quality: "high",
    output_format: "webp",
  });
  assert.equal(service.requests[0]?.headers.authorization, "Bearer sk-secret");
  assert.equal(service.requests[0].url.pathname, "/v1/images/generations");
});

test("several images have distinct names", async () => {
  const result = await parts({ n: 2, partial_images: 3 });
  assert.deepEqual(
    result.flatMap((part) => (part.type === "image" ? [part.name] : [])),
    ["image-1.png", "image-2.png"],
  );
  assert.equal(sent()["stream"], undefined, "services stream one image only");
});

test("partial images are events of the call, with their own type and index", async () => {
  const context = recordingContext();
  const [, image] = await parts({ partial_images: 2 }, context);
  assert.equal(image?.type, "image");
  assert.deepEqual([sent()["stream"], sent()["partial_images"]], [true, 2]);
  assert.deepEqual(context.events, [
    [
      "image_generation.partial_image",
      {
        index: 0,
        image: {
          type: "image",
          mimeType: "image/jpeg",
          source: { type: "base64", data: jpeg },
        },
      },
    ],
  ]);
});

test("the options that a request declares for image_generation override the arguments", async () => {
  const declared = {
    type: "image_generation",
    model: "gpt-image-1.5",
    size: "1536x1024",
    quality: "low",
    background: "transparent",
    output_format: "png",
    output_compression: 50,
    moderation: "low",
    partial_images: 1,
    action: "auto",
  };
  const context = recordingContext({ tool: declared });
  await parts({ size: "1024x1024", quality: "high" }, context);
  const { type: _type, action: _action, ...options } = declared;
  assert.deepEqual(sent(), { prompt: "a boat", ...options, stream: true });
  assert.equal(context.events.length, 1);
});

test("declared options without an effect are rejected by name", async () => {
  for (const [option, value] of [
    ["input_fidelity", "high"],
    ["action", "edit"],
    ["partial_images", 9],
  ] as const) {
    const context = recordingContext({ tool: { type: "image_generation", [option]: value } });
    const { code, message } = await failure({}, context);
    assert.equal(code, "unsupported_option");
    assert.match(message, new RegExp(option));
  }
  assert.equal(service.requests.length, 0);
});

test("a field that the service does not support is omitted, and the result mentions it", async () => {
  const unknown = new Map<string, object>([
    [
      "background",
      {
        error: {
          message: "Unknown parameter: 'background'.",
          type: "invalid_request_error",
          param: "background",
          code: "unknown_parameter",
        },
      },
    ],
    ["quality", { detail: [{ type: "extra_forbidden", loc: ["body", "quality"], msg: "no" }] }],
    ["partial_images", { error: "unexpected keyword argument 'partial_images'" }],
  ]);
  service.answer = (request, response) => {
    const fields = JSON.parse(request.body.toString()) as object;
    const [name] = [...unknown.keys()].filter((each) => each in fields);
    if (name === undefined) return openai(request, response);
    sendJson(response, unknown.get(name), { status: name === "quality" ? 422 : 400 });
  };
  const context = recordingContext();
  const result = await parts(
    { background: "opaque", quality: "high", partial_images: 1, size: "512x512" },
    context,
  );
  assert.match(
    textOf(result),
    /does not support background, quality, stream, partial_images, which had no effect/,
  );
  assert.equal(service.requests.length, 4);
  assert.deepEqual(sent(), { model: "gpt-image-2", prompt: "a boat", size: "512x512" });
});

test("a value that the service rejects is a failure with its reason, without a second request", async () => {
  service.answer = (_request, response) =>
    sendJson(
      response,
      {
        error: {
          message: "Invalid value: '12x12'. Supported values are: '1024x1024'.",
          type: "invalid_request_error",
          param: "size",
          code: "invalid_value",
        },
      },
      { status: 400 },
    );
  const { code, message } = await failure({ size: "12x12" });
  assert.equal(code, "rejected");
  assert.match(message, /Supported values are: '1024x1024'/);
  assert.equal(service.requests.length, 1);
});

test("an image at an address of the service is fetched without the key, even after a redirect", async () => {
  service.answer = ({ url, headers }, response) => {
    if (url.pathname === "/v1/images/generations")
      return sendJson(response, { data: [{ url: `${service.url}/made/1` }] });
    assert.equal(headers.authorization, undefined);
    if (url.pathname === "/made/1")
      return void response.writeHead(302, { location: "/made/2" }).end();
    response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.from(png, "base64"));
  };
  const [, image] = await parts();
  assert.ok(image?.type === "image");
  assert.equal(image.mimeType, "image/png");
});

test("an image at a private address, or a file, is not fetched", async () => {
  for (const address of ["http://127.0.0.1:1/x", "http://169.254.169.254/", "file:///etc/passwd"]) {
    service.answer = (_request, response) => sendJson(response, { data: [{ url: address }] });
    const { code } = await failure();
    assert.equal(code, address.startsWith("file") ? "unexpected_reply" : "private_address");
  }
  service.answer = ({ url }, response) =>
    url.pathname === "/v1/images/generations"
      ? sendJson(response, { data: [{ url: `${service.url}/leave` }] })
      : void response.writeHead(302, { location: "http://10.0.0.1/" }).end();
  assert.equal((await failure()).code, "private_address");
});

test("failures of the service have error codes, and a broken stream is a failure", async () => {
  const status = (code: number, headers: object = {}) => {
    service.answer = (_request, response) =>
      sendJson(
        response,
        { error: { message: "Incorrect key sk-secret" } },
        { status: code, headers },
      );
  };
  status(401);
  const rejected = await failure();
  assert.equal(rejected.code, "unauthorized");
  assert.doesNotMatch(JSON.stringify(rejected), /sk-secret/);
  status(429, { "retry-after": "7" });
  const limited = await failure();
  assert.deepEqual([limited.code, limited.retryAfterMs], ["rate_limited", 7_000]);
  status(500);
  assert.equal((await failure()).code, "service_failed");
  for (const body of [{ data: [] }, { data: [{ b64_json: "bm8=" }] }, { data: [{}] }]) {
    service.answer = (_request, response) => sendJson(response, body);
    assert.equal((await failure()).code, "unexpected_reply", JSON.stringify(body));
  }
  service.answer = (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end('data: {"type":"error","error":{"message":"flagged"}}\n\n');
  assert.match((await failure({ partial_images: 1 })).message, /flagged/);
  service.answer = (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: {"type":"image_generation.partial_image","b64_json":"${png}"}`);
  assert.match((await failure({ partial_images: 1 })).message, /before the image was complete/);
});

test("without a service, the tools are listed with a setup hint", () => {
  const { tools } = mediaTools({ roots: [] });
  for (const { definition, unavailable } of tools)
    assert.match(unavailable?.needs ?? "", /^a (?:service|model) that /, definition.function.name);
  assert.equal(tool().unavailable, undefined);
});

test("a cancelled call ends the request", async () => {
  const controller = new AbortController();
  service.answer = () => controller.abort(new Error("stopped"));
  const context = recordingContext({ signal: controller.signal });
  await assert.rejects(call(tool(), defaults, context), /stopped/);
});
