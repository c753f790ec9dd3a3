import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createCurrentCatalog, createModelCatalog } from "@capstan/models";
import { openStoredProviders } from "./stored-providers.ts";

const place = mkdtempSync(join(tmpdir(), "capstan-providers-"));
after(() => rmSync(place, { recursive: true }));

const key = "sk-canary-1234567890";
const { signal } = new AbortController();
let folders = 0;

/** Fake providers, which list one model if the key is right. */
function open(
  environment: { readonly [name: string]: string } = {},
  { dataDir = join(place, `${++folders}`), secretKey = "s".repeat(32), model = "" } = {},
) {
  const asked: { readonly url: string; readonly headers: Headers }[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    asked.push({ url, headers });
    if (url.includes("closed"))
      throw new Error("fetch failed", { cause: new Error(`refused ${key}`) });
    if (url.includes("plain")) return new Response("not found", { status: 404 });
    if (url.includes("moved"))
      return new Response(null, { status: 302, headers: { location: "https://elsewhere.test" } });
    const right = [headers.get("authorization"), headers.get("x-api-key")].some((text) =>
      text?.includes(key),
    );
    return right
      ? Response.json({ data: [{ id: "model-one" }] })
      : new Response("no", { status: 401 });
  }) as unknown as typeof globalThis.fetch;
  const stored = openStoredProviders({ configuration: { dataDir, secretKey }, environment, fetch });
  const models = createCurrentCatalog(() =>
    createModelCatalog({
      environment: stored.variables(),
      stored: stored.stored(),
      fetch,
      ...(model !== "" && { defaultModel: model }),
    }),
  );
  return { dataDir, stored, models, asked, settings: stored.settings(models.renew) };
}

test("a key is tried, stored encrypted, used at once, and never shown", async () => {
  const { dataDir, settings, models } = open();
  assert.equal(models.default.id, "capstan/offline");
  const saved = await settings.save("openai", { key: ` ${key}\n` }, signal);
  assert.equal(saved.status, "saved");
  assert.equal(models.default.id, "openai/gpt-5.5");
  assert.match(models.default.reason, /settings/);
  assert.ok((await models.list()).some(({ id }) => id === "openai/model-one"));
  const shown = JSON.stringify([saved, settings.list()]);
  assert.doesNotMatch(shown, /canary/);
  const [view] = settings.list().filter(({ id }) => id === "openai");
  assert.deepEqual([view?.source, view?.has_key], ["stored", true]);
  const folder = join(dataDir, "providers");
  for (const name of readdirSync(folder)) {
    assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /canary/);
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  }
  // A start with the same secret key reads it. With another secret key, it must be set again.
  assert.equal(open({}, { dataDir }).models.default.id, "openai/gpt-5.5");
  const changed = open({}, { dataDir, secretKey: "t".repeat(32) });
  assert.equal(changed.models.default.id, "capstan/offline");
  assert.equal(changed.settings.list().find(({ id }) => id === "openai")?.source, "unreadable");
});

test("a rejected key and an unreachable server are errors of their field, and nothing is stored", async () => {
  const { settings, models } = open();
  const cases = [
    ["openai", { key: "wrong" }, "key", /OpenAI rejected the key \(401\)/],
    ["openai", {}, "key", /is required/],
    ["openai", { key: "with space" }, "key", /without spaces/],
    ["openai", { key, url: "https://a.test" }, "url", /only the provider "custom"/],
    ["custom", { url: "https://closed.test/v1", key }, "url", /did not list its models/],
    ["custom", { url: "https://moved.test/v1", key }, "url", /it answered 302/],
    ["custom", { url: "ftp://a.test" }, "url", /http/],
    ["custom", { url: "https://u:p@a.test" }, "url", /use the key/],
    ["custom", { url: "nothing" }, "url", /base URL/],
    ["custom", { url: "https://strict.test/v1" }, "key", /requires a key/],
  ] as const;
  for (const [id, body, field, message] of cases) {
    const outcome = await settings.save(id, body, signal);
    assert.ok(outcome.status === "invalid", JSON.stringify(outcome));
    assert.equal(outcome.field, field, outcome.message);
    assert.match(outcome.message, message);
    assert.doesNotMatch(outcome.message, /canary/);
  }
  assert.equal((await settings.save("other", { key }, signal)).status, "not_found");
  assert.ok(settings.list().every(({ source }) => source === "none"));
  assert.equal(models.default.id, "capstan/offline");
});

test("a custom server is used with its own key and model only", async () => {
  const environment = { CAPSTAN_MODEL_URL: "https://a.test/v1?x=1", CAPSTAN_MODEL_KEY: key };
  const { settings, models, asked } = open(environment);
  const [given] = settings.list();
  assert.deepEqual(
    [given?.source, given?.url, given?.has_key],
    ["environment", "https://a.test/v1", true],
  );
  // A server without a list of models is accepted. It does not get the key of the other one.
  const saved = await settings.save("custom", { url: "https://plain.test/v1", model: "m" }, signal);
  assert.equal(saved.status, "saved", JSON.stringify(saved));
  assert.equal(asked.at(-1)?.url, "https://plain.test/v1/models");
  assert.equal(asked.at(-1)?.headers.get("authorization"), null);
  assert.equal(models.default.id, "custom/m");
  assert.equal(settings.remove("custom").status, "saved");
  assert.equal(models.default.id, "custom/default");
  assert.equal(settings.remove("custom").status, "not_found");
});

test("a provider that the configured default model needs cannot be removed", async () => {
  const first = open();
  await first.settings.save("openai", { key }, signal);
  const { settings, models } = open({}, { dataDir: first.dataDir, model: "openai/model-one" });
  const outcome = settings.remove("openai");
  assert.ok(outcome.status === "invalid");
  assert.match(outcome.message, /default model/);
  assert.equal(models.default.id, "openai/model-one");
  assert.equal(settings.list().find(({ id }) => id === "openai")?.source, "stored");
});
