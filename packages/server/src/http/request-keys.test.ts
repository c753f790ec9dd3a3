import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import OpenAI from "openai";
import { type ScriptedStep, ScriptedModel } from "@capstan/core/testing";
import { ModelError } from "@capstan/core";
import { openMemoryStore, type Store, type StoreWrite } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { openPairing, terminalKeyFile } from "./credentials/pairing.ts";
import { createTestApp, requestTo, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { runIn, tool } from "../testing/run-fixtures.ts";

const call = { calls: [{ name: "Act" }] };

/** An app whose tool counts its calls. */
function counting(steps: readonly ScriptedStep[]) {
  let calls = 0;
  const model = new ScriptedModel(steps);
  const act = tool("Act", () => `${(calls += 1)}`);
  const store = openMemoryStore();
  return { ...createTestApp({ model, tools: [act], store }), store, model, calls: () => calls };
}

async function send(
  { fetch }: Pick<TestApp, "fetch">,
  key: string,
  body: object,
  path = "/v1/responses",
  method = "POST",
) {
  const request = requestTo(method, path, body);
  request.headers.set("Idempotency-Key", key);
  const response = await fetch(request);
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text.startsWith("{") ? text : "{}") };
}

const go = { input: "go", tools: toyTools };

for (const store of [true, false])
  test(`a repeat with the same Idempotency-Key gets the first answer (store ${store})`, async () => {
    const app = counting([call, "Done."]);
    const first = await send(app, "k", { ...go, store });
    const again = await send(app, "k", { ...go, store });
    assert.equal(first.status, 200);
    assert.deepEqual(again, first);
    assert.equal(app.calls(), 1);
    app.model.assertDone();
  });

// Contract: durability-3
test("a repeat follows the stream of the run that the first request started", async () => {
  const hold = Promise.withResolvers<string>();
  const app = counting([call, () => hold.promise]);
  const stream = { ...go, stream: true };
  const both = [send(app, "k", stream), send(app, "k", stream), send(app, "k", stream)];
  hold.resolve("Done.");
  const [first, ...others] = await Promise.all(both);
  assert.match(first?.text ?? "", /response.completed/);
  for (const other of others) assert.deepEqual(other, first);
  assert.equal(app.calls(), 1);
});

test("the same Idempotency-Key with another body or route is a 422", async () => {
  const app = counting(["One.", "Two."]);
  await send(app, "k", { input: "one" });
  for (const refused of [
    await send(app, "k", { input: "two" }),
    await send(app, "k", { title: "t" }, "/v1/conversations"),
  ]) {
    assert.equal(refused.status, 422);
    assert.equal(refused.body.error.code, "idempotency_key_reused");
    assert.match(refused.body.error.message, /another route or body/);
  }
  assert.equal((await send(app, "l", { input: "two" })).status, 200);
  assert.equal((await send(app, "", { input: "two" })).status, 400);
});

test("only a run that failed before any output releases its key", async () => {
  const app = counting([
    { error: new Error("overloaded") },
    call,
    { error: new Error("overloaded") },
  ]);
  assert.equal((await send(app, "k", go)).status, 502);
  const second = await send(app, "k", go);
  assert.equal(second.body.status, "failed");
  assert.equal(app.calls(), 1);
  assert.deepEqual(await send(app, "k", go), second);
  assert.equal(app.calls(), 1);
});

test("a run continues after its client with an Idempotency-Key disconnects", async () => {
  const hold = Promise.withResolvers<string>();
  const app = counting([call, () => hold.promise]);
  const left = new AbortController();
  const request = requestTo("POST", "/v1/responses", go, left.signal);
  request.headers.set("Idempotency-Key", "k");
  const first = app.fetch(request).catch(() => {});
  for (;;) {
    const { data } = await app.store.searchRuns({ owner });
    if (data[0]?.status === "in_progress" && app.calls() === 1) break;
    await new Promise(setImmediate);
  }
  left.abort();
  await first;
  const again = send(app, "k", go);
  hold.resolve("Done.");
  assert.equal((await again).body.status, "completed");
  assert.equal(app.calls(), 1);
});

// Contract: responses-4
test("a failed request in a conversation is repeated without a second message", async () => {
  const app = counting([{ error: new Error("overloaded") }, "Done."]);
  const conversation = (await send(app, "c", {}, "/v1/conversations")).body.id;
  const body = { input: "go", conversation };
  assert.equal((await send(app, "k", body)).status, 502);
  assert.equal((await send(app, "k", body)).body.status, "completed");
  const users = app.model.requests[1]?.messages.filter(({ role }) => role === "user");
  assert.equal(users?.length, 1);
});

// Contract: responses-4
test("OpenAI's client retries a request whose model failed before any output", async () => {
  const error = new ModelError({ code: "rate_limit", message: "Slow.", retryAfterMs: 1 });
  const app = counting([{ error }, "Done."]);
  const statuses: number[] = [];
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    fetch: async (url, init) => {
      const response = await app.fetch(new Request(String(url), init));
      statuses.push(response.status);
      return response;
    },
  });
  const response = await client.responses.create({ model: "test/scripted", input: "go" });
  assert.equal(response.output_text, "Done.");
  assert.deepEqual(statuses, [429, 200]);
});

/** OpenAI's client, whose connection breaks while it receives the first answer. */
function brokenOnce(app: TestApp, atBreak: () => Promise<unknown> = async () => {}) {
  let tries = 0;
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    fetch: async (url, init) => {
      tries += 1;
      const broken = new AbortController();
      const request = new Request(String(url), {
        ...(init as RequestInit),
        ...(tries === 1 && { signal: broken.signal }),
      });
      const answer = app.fetch(request);
      if (tries > 1) return answer;
      const ends = atBreak();
      await Promise.race([ends, answer]);
      broken.abort();
      throw new Error("connection reset");
    },
  });
  return { client, tries: () => tries };
}

const input = { model: "test/scripted", input: "go", tools: toyTools as never };

// Contract: durability-3
test("a retry of OpenAI's client gets the answer of the run that its first try started", async () => {
  const app = counting([call, "Done."]);
  const { client, tries } = brokenOnce(app);
  const response = await client.responses.create(input);
  assert.equal(response.output_text, "Done.");
  assert.deepEqual([tries(), app.calls()], [2, 1]);
});

test("a retry of OpenAI's client continues a run that its broken connection stopped", async () => {
  const { promise: never } = Promise.withResolvers<string>();
  const app = counting([call, () => never, "Done."]);
  const { client } = brokenOnce(app, async () => {
    while (app.model.requests.length < 2) await new Promise(setImmediate);
  });
  const response = await client.responses.create(input);
  assert.equal(response.output_text, "Done.");
  assert.equal(app.calls(), 1);
  assert.ok(response.id);
});

test("an equal request without a retry header starts a new run", async () => {
  const app = counting(["One.", "Two."]);
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1/v1",
    fetch: (url, init) => app.fetch(new Request(String(url), init)),
  });
  const texts = [await client.responses.create(input), await client.responses.create(input)];
  assert.deepEqual(
    texts.map((response) => response.output_text),
    ["One.", "Two."],
  );
});

test("a POST with a key creates its object once", async () => {
  const app = counting([{ error: new Error("down") }, "Done."]);
  const make = () => send(app, "k", { title: "t" }, "/v1/conversations");
  const made = await Promise.all([make(), make(), make()]);
  assert.equal(new Set(made.map(({ text }) => text)).size, 1);
  assert.equal((await app.call("GET", "/v1/conversations")).body.data.length, 1);
  const rule = { tool: "g.*", execution: "deny" };
  const put = () => send(app, "l", rule, "/v1/overrides", "PUT");
  assert.deepEqual(await put(), await put());

  assert.equal((await send(app, "m", go)).status, 502);
  const [failed] = (await app.store.searchRuns({ owner })).data;
  const retry = () => send(app, "n", {}, `/v1/runs/${failed?.id}/retry`);
  const [one, two] = [await retry(), await retry()];
  assert.equal(one.status, 200);
  assert.equal(one.body.id, two.body.id);
  await runIn(app.store, one.body.id, "completed");
});

test("equal requests of OpenAI's client create two conversations, and a retry creates none", async () => {
  const app = counting([]);
  const create = async (tries: string) => {
    const request = requestTo("POST", "/v1/conversations", {});
    request.headers.set("x-stainless-retry-count", tries);
    return ((await (await app.fetch(request)).json()) as { readonly id: string }).id;
  };
  const [first, second, retried] = [await create("0"), await create("0"), await create("1")];
  assert.notEqual(first, second);
  assert.equal(retried, second);
});

test("concurrent and later repeats with a key create one thread, message, copy, upload or item", async () => {
  const app = counting(Array.from({ length: 10 }, () => "Done."));
  const assistant = await app.call("POST", "/v1/assistants", { model: "test/scripted" });
  const message = { role: "user", content: "Hello" };
  const thread = await app.call("POST", "/v1/threads", { messages: [message] });
  const conversation = await app.call("POST", "/v1/conversations", {});
  const of = `/v1/threads/${thread.body.id}`;
  const upload = { filename: "a", purpose: "user_data", bytes: 1, mime_type: "text/plain" };
  const count = async (path: string) => (await app.call("GET", path)).body.data.length;
  const threads = () => count("/v1/conversations?limit=100");
  const cases: readonly (readonly [string, object, (() => Promise<number>)?])[] = [
    [`${of}/messages`, message, () => count(`${of}/messages?limit=100`)],
    [`${of}/copy_to/${thread.body.id}`, {}, async () => (await count(`${of}/messages`)) / 2],
    [`${of}/fork`, {}, threads],
    ["/v1/threads", { messages: [message] }, threads],
    ["/v1/threads/runs", { assistant_id: assistant.body.id, thread: {} }, threads],
    [
      `/v1/conversations/${conversation.body.id}/items`,
      { items: [{ role: "user", content: "Hi" }] },
      () => count(`/v1/conversations/${conversation.body.id}/items`),
    ],
    ["/v1/uploads", upload],
  ];
  for (const [path, body, made] of cases) {
    const before = await made?.();
    const repeat = () => send(app, path.replaceAll("/", "-"), body, path);
    const answers = [...(await Promise.all([repeat(), repeat(), repeat()])), await repeat()];
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
      `${path}: ${answers.map(({ text }) => text).join()}`,
    );
    const ids = answers.map((each) => each.body.id ?? each.body.first_id);
    assert.equal(new Set(ids).size, 1, path);
    if (before !== undefined) assert.equal((await made?.()) ?? 0, before + 1, path);
  }
});

test("no answer with a secret of pairing is stored or repeated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-test-"));
  const pairing = openPairing({ folder });
  const app = createTestApp({ model: new ScriptedModel([]), tools: [], pairing });
  const { code } = pairing.createCode();
  const opened = await send(app, "k", { code }, "/v1/sessions");
  assert.equal(opened.status, 200);
  assert.equal((await send(app, "k", { code }, "/v1/sessions")).status, 403);

  pairing.announce(1);
  const terminal = readFileSync(terminalKeyFile(folder, 1), "utf8");
  const pair = async () => {
    const request = requestTo("POST", "/v1/pairings", {});
    request.headers.set("Authorization", `Bearer ${terminal}`);
    request.headers.set("Idempotency-Key", "p");
    return ((await (await app.fetch(request)).json()) as { readonly code: string }).code;
  };
  assert.notEqual(await pair(), await pair());
  rmSync(folder, { recursive: true });
});

test("a server that is killed between an effect and its answer does not repeat the effect for a repeated request", async () => {
  const inner = openMemoryStore();
  let isKilled = false;
  const store = {
    ...inner,
    write: ((writes: readonly StoreWrite[]) =>
      isKilled && writes.some((write) => write.type === "claim-key" && "response" in write)
        ? Promise.reject(new Error("killed"))
        : inner.write(writes)) as Store["write"],
  };
  const app = createTestApp({ model: new ScriptedModel([]), store });
  const { id } = (await send(app, "new", { title: "a" }, "/v1/conversations")).body;
  const read = async (path: string) => JSON.stringify((await app.call("GET", path)).body);
  const changes = [
    [
      "PUT",
      "/v1/overrides",
      { tool: "g.*", execution: "deny" },
      { tool: "g.*", execution: "auto" },
    ],
    ["POST", `/v1/conversations/${id}`, { title: "b" }, { title: "c" }],
  ] as const;
  for (const [method, path, first, later] of changes) {
    isKilled = true;
    assert.equal(
      (await send(app, `first ${path}`.replace(" ", "-"), first, path, method)).status,
      500,
    );
    isKilled = false;
    await send(app, `later ${path}`.replace(" ", "-"), later, path, method);
    const after = await read(path);
    const repeat = () => send(app, `first ${path}`.replace(" ", "-"), first, path, method);
    const [one, two] = [await repeat(), await repeat()];
    assert.equal(one.status, 200, one.text);
    assert.deepEqual(two, one);
    assert.equal(await read(path), after);
  }
});

test("a repeat that ends after the first request gets the first answer", async () => {
  const inner = openMemoryStore();
  const answered = Promise.withResolvers<void>();
  let changes = 0;
  const store = {
    ...inner,
    write: (async (writes: readonly StoreWrite[]) => {
      const isChange = writes.some(({ type }) => type === "change-override");
      if (isChange && (changes += 1) === 2) await answered.promise;
      return inner.write(writes);
    }) as Store["write"],
  };
  const app = createTestApp({ model: new ScriptedModel([]), store });
  const change = { tool: "g.*", execution: "deny" };
  const repeat = () => send(app, "k", change, "/v1/overrides", "PUT");
  const [first, second] = [repeat(), repeat()];
  await Promise.race([first, second]);
  answered.resolve();
  assert.equal((await first).status, 200);
  assert.deepEqual(await second, await first);
});

test("a repeat that finds the first request's effect instead of its object gets the first answer", async () => {
  const inner = openMemoryStore();
  const answered = Promise.withResolvers<void>();
  let reads = 0;
  const store = {
    ...inner,
    getRequestKey: (async (id) => {
      const found = await inner.getRequestKey(id);
      if ((reads += 1) === 2) await answered.promise;
      return found;
    }) as Store["getRequestKey"],
  };
  const app = createTestApp({ model: new ScriptedModel([]), store });
  const { id } = (await app.call("POST", "/v1/conversations", { title: "a" })).body as {
    readonly id: string;
  };
  const remove = () => send(app, "k", {}, `/v1/conversations/${id}`, "DELETE");
  const [first, second] = [remove(), remove()];
  const ended = await Promise.race([first, second]);
  answered.resolve();
  assert.equal(ended.status, 200);
  assert.deepEqual(await second, await first);
});
