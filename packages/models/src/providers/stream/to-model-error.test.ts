import assert from "node:assert/strict";
import { test } from "node:test";
import { configuredProviders } from "../configured-providers.ts";
import { toModelError } from "./to-model-error.ts";

const key = "q1W2e3R4t5Z6u7I8";
const [provider] = configuredProviders({
  CAPSTAN_MODEL_URL: "http://127.0.0.1:9/v1",
  CAPSTAN_MODEL_KEY: key,
});
assert.ok(provider);
const context = { provider, modelName: "m", begun: false, now: 0 };

function messageFor(said: string): string {
  const responseBody = JSON.stringify({ error: { message: said } });
  return toModelError({ statusCode: 400, responseBody, message: "failed" }, context).message;
}

test("leaves no part of a key at the end of a truncated message", () => {
  for (let before = 270; before < 310; before++) {
    const message = messageFor(`${"x".repeat(before - 1)} ${key}`);
    assert.ok(!message.includes(key.slice(0, 4)), message);
  }
});

test("removes a foreign key and keeps the text about it", () => {
  assert.equal(
    messageFor("The upstream refused sk-live-abcdefgh1234 (Bearer zyx.wvu)."),
    `${provider.title} rejected the request (400). Its message: “The upstream refused [key] (Bearer [key]).”`,
  );
});

test("quotes the beginning of an endless message, and quickly", () => {
  const start = performance.now();
  const message = messageFor("key=a ".repeat(500_000));
  assert.ok(message.length < 500);
  assert.ok(performance.now() - start < 10_000);
});
