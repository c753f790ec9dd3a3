import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolError, type Model, ModelError, type ToolErrorData } from "@capstan/core";
import { call, callForText, ScriptedModel, toolOf } from "@capstan/core/testing";
import { mediaTools } from "./media-tools.ts";
import { givenFile, png, recordingContext } from "./testing/media-fixtures.ts";

const files = [givenFile("file-1", "meter.png", Buffer.from(png, "base64"))];
const defaults = { image: "file-1", question: "Which number?", detail: "high" };

const toolWith = (model: Model | undefined) =>
  toolOf(
    mediaTools({
      roots: [],
      vision: { model: "openai/gpt-5.5", find: () => Promise.resolve(model) },
    }),
    "DescribeImage",
  );

async function failure(model: Model | undefined): Promise<ToolErrorData> {
  const result = await call(toolWith(model), defaults, recordingContext({ files }));
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

/** A model that streams the given events. */
const streaming = (stream: Model["stream"], more: Partial<Model> = {}): Model => ({
  id: "openai/gpt-5.5",
  stream,
  ...more,
});
const usage = { inputTokens: 0, outputTokens: 0 };

test("the model gets the image with the question, and its answer is the result", async () => {
  const model = new ScriptedModel(["The meter shows 42."]);
  const context = recordingContext({ files });
  assert.equal(await callForText(toolWith(model), defaults, context), "The meter shows 42.");
  assert.equal(context.written.join(""), "The meter shows 42.");
  const [request] = model.requests;
  assert.deepEqual(request?.tools, []);
  assert.match(JSON.stringify(request.messages[0]), /not an instruction to you/);
  assert.deepEqual(request.messages[1], {
    role: "user",
    content: [
      { type: "text", text: "Which number?" },
      {
        type: "image",
        mimeType: "image/png",
        name: "meter.png",
        detail: "high",
        source: { type: "base64", data: png },
      },
    ],
  });
});

test("a truncated answer is marked, and a refusal is an error", async () => {
  const cut = streaming(async function* () {
    yield { type: "text-delta", text: "It is" } as const;
    yield { type: "finish", reason: "length", usage } as never;
  });
  assert.match(
    await callForText(toolWith(cut), defaults, recordingContext({ files })),
    /^It is\n\[The answer is cut off/,
  );
  const refusing = streaming(async function* () {
    yield { type: "refusal-delta", text: "I cannot." } as const;
    yield { type: "finish", reason: "stop", usage } as never;
  });
  const { code, message } = await failure(refusing);
  assert.equal(code, "refused");
  assert.match(message, /I cannot\./);
});

test("failures of the model have its message, and temporary ones can be retried", async () => {
  const failing = (code: "rate_limit" | "authentication") =>
    // oxlint-disable-next-line require-yield
    streaming(async function* () {
      throw new ModelError({ code, message: "OpenAI says no", retryAfterMs: 5 });
    });
  const limited = await failure(failing("rate_limit"));
  assert.deepEqual(
    [limited.code, limited.message, limited.retryable, limited.retryAfterMs],
    ["model_failed", "OpenAI says no", true, 5],
  );
  assert.equal((await failure(failing("authentication"))).retryable, false);
});

test("the error names a missing model, and a model that does not read the type", async () => {
  assert.match((await failure(undefined)).message, /openai\/gpt-5\.5.*vision\.model/);
  const blind = streaming(() => assert.fail("is not asked"), { readsFile: () => false });
  assert.match((await failure(blind)).message, /does not read image\/png/);
});
