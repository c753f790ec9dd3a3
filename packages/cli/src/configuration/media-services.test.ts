import assert from "node:assert/strict";
import { test } from "node:test";
import { readMediaServices } from "./media-services.ts";

const url = "http://10.0.0.2:8080/v1";

test("an OpenAI key is enough for images, recordings and descriptions", () => {
  assert.deepEqual(readMediaServices({}, { OPENAI_API_KEY: " sk-1 " }).services, {
    images: { url: "https://api.openai.com/v1", model: "gpt-image-2", key: "sk-1" },
    transcription: { url: "https://api.openai.com/v1", model: "gpt-4o-transcribe", key: "sk-1" },
    vision: { model: "openai/gpt-5.5" },
  });
  assert.deepEqual(readMediaServices({}, {}).services, {});
  const other = { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  assert.deepEqual(readMediaServices({}, other).services, {});
  assert.deepEqual(readMediaServices({}, { ANTHROPIC_API_KEY: "a" }).services, {
    vision: { model: "anthropic/claude-sonnet-5" },
  });
});

test("OpenAI's key is not sent to another service", () => {
  const settings = { images: { url, model: "flux" }, vision: { model: "custom/llava" } };
  const environment = { OPENAI_API_KEY: "sk-1" };
  const { services } = readMediaServices(settings, environment);
  assert.deepEqual(services.images, { url, model: "flux" });
  assert.deepEqual(services.vision, { model: "custom/llava" });
  const own = { ...environment, CAPSTAN_IMAGES_KEY: "own" };
  assert.equal(readMediaServices(settings, own).services.images?.key, "own");
});

test("a service at another address needs the name of its model", () => {
  const { problems } = readMediaServices({ images: { url }, transcription: { url } }, {});
  assert.match(problems.join("\n"), /images\.model: expected .*\ntranscription\.model: expected /);
  const named = { images: { model: "gpt-image-1.5" } };
  const { services } = readMediaServices(named, { OPENAI_API_KEY: "sk-1" });
  assert.equal(services.images?.model, "gpt-image-1.5");
});
