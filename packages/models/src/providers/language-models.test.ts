import assert from "node:assert/strict";
import { test } from "node:test";
import { configuredProviders } from "./configured-providers.ts";
import { createLanguageModels } from "./language-models.ts";

test("a model is created once, and the oldest of many models is forgotten", async () => {
  const [provider] = configuredProviders({ CAPSTAN_MODEL_URL: "http://127.0.0.1:9/v1" });
  assert(provider !== undefined);
  const models = createLanguageModels(provider, undefined);
  const first = await models("first");
  assert.equal(first.modelId, "first");
  assert.equal(await models("first"), first);
  for (let n = 0; n < 100; n++) assert.notEqual(await models(`other-${n}`), first);
  const again = await models("first");
  assert.notEqual(again, first);
  assert.equal(again.modelId, "first");
});
