import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import type {
  AuthoringOutcome,
  ListView,
  RunView,
  ScriptAuthoring,
  ScriptCallView,
  ScriptDetail,
  ScriptValueView,
  ScriptView,
  ServerInfo,
} from "@capstan/contract";
import { openMemoryStore } from "@capstan/store";
import { asking, runIn, tool } from "../testing/run-fixtures.ts";
import type { AppOptions } from "../app.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";

const tools = [tool("Look", ({ at }) => `saw ${String(at)}`), asking("Ask", () => "asked")];

const view: ScriptView = {
  id: "script_1",
  object: "script",
  name: "look.py",
  folder: "tools",
  language: "python",
  status: "live",
  title: "Look",
  groups: ["g"],
  tools: ["Look", "Ask"].map((name) => ({
    id: `g.${name}`,
    name,
    description: "",
    parameters: { type: "object" },
    has_format: false,
    execution: "auto",
  })),
  problems: [],
  approval: "none",
  editable: true,
};
const detail: ScriptDetail = {
  ...view,
  source: "text",
  source_hash: "h1",
  content_hash: "c1",
  files: ["look.py"],
  declared: null,
  approved: null,
};

const value: ScriptValueView = {
  object: "script_value",
  name: "WEATHER_KEY",
  source: "stored",
  set_at: 1,
  scripts: ["look.py"],
};

/** A script host with one file; the test supplies the outcome of each change. */
function fakeAuthoring(outcome: AuthoringOutcome = { status: "done", script: detail }) {
  const asked: unknown[] = [];
  const listeners = new Set<() => void>();
  const note = (...what: unknown[]) => {
    asked.push(what);
    return Promise.resolve(outcome);
  };
  const authoring: ScriptAuthoring = {
    list: () => [view],
    read: async (id) => (id === view.id ? detail : undefined),
    files: async (_id, version) =>
      version === "current" ? { object: "script_files", content_hash: "c1", files: [] } : undefined,
    check: async ({ name }) =>
      name === "x.rb"
        ? { status: "invalid", field: "name", message: "expected .py." }
        : { object: "script_check", tools: [], declared: null, problems: [] },
    create: (name) => note("create", name),
    save: (id, change) => note("save", id, change),
    remove: async (id) => {
      await note("remove", id);
      return outcome.status === "done" ? { status: "removed" } : outcome;
    },
    restore: (id) => note("restore", id),
    approve: (id, hash) => note("approve", id, hash),
    revoke: (id) => note("revoke", id),
    values: () => [value],
    setValue: (name, text) => {
      asked.push(["setValue", name, text]);
      return name === "1"
        ? { status: "invalid", field: "name", message: "expected a name." }
        : { status: "done", value };
    },
    removeValue: (name) => name === value.name,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { authoring, asked, listeners };
}

const keys: AppOptions["apiKeys"] = [
  { name: "ada", key: "one", rights: ["ask", "approve", "admin"] },
  { name: "bob", key: "two" },
];

function testApp(outcome?: AuthoringOutcome, limits = {}) {
  const store = openMemoryStore();
  const fake = fakeAuthoring(outcome);
  const app = createTestApp({
    // No test here calls a model.
    model: new ScriptedModel([]),
    tools,
    store,
    apiKeys: keys,
    scripts: fake.authoring,
    limits,
  });
  async function send(method: string, path: string, body?: object, key = "one") {
    const request = requestTo(method, path, body);
    request.headers.set("Authorization", `Bearer ${key}`);
    return app.fetch(request);
  }
  async function json<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await send(method, path, body);
    assert.equal(response.status, 200, `${method} ${path}`);
    return (await response.json()) as T;
  }
  async function code(method: string, path: string, body?: object): Promise<string> {
    const response = await send(method, path, body);
    const { error } = (await response.json()) as { error: { code: string; param: string } };
    return `${response.status} ${error.code} ${error.param}`;
  }
  return { ...fake, app, store, send, json, code };
}

// Contract: scripts-74
test("every script route rejects a key without the right admin", async () => {
  const { send, asked, json } = testApp();
  const routes = [
    ["GET", ""],
    ["GET", "/events"],
    ["POST", ""],
    ["POST", "/check"],
    ["GET", "/environment"],
    ["PUT", "/environment/KEY"],
    ["DELETE", "/environment/KEY"],
    ["GET", "/script_1"],
    ["GET", "/script_1/files"],
    ["PUT", "/script_1"],
    ["DELETE", "/script_1"],
    ["POST", "/script_1/restore"],
    ["POST", "/script_1/approve"],
    ["POST", "/script_1/revoke"],
    ["GET", "/script_1/calls"],
    ["POST", "/script_1/calls"],
  ] as const;
  for (const [method, path] of routes) {
    const body = method === "GET" || method === "DELETE" ? undefined : { name: "a", source: "" };
    const response = await send(method, `/v1/scripts${path}`, body, "two");
    assert.equal(response.status, 403, `${method} ${path}`);
    const text = await response.text();
    assert.match(text, /right_missing/);
    assert.doesNotMatch(text, /look\.py/);
  }
  assert.deepEqual(asked, []);
  assert.equal((await json<ServerInfo>("GET", "/v1/capstan")).scripts, true);
  const others = (await (await send("GET", "/v1/capstan", undefined, "two")).json()) as ServerInfo;
  assert.equal(others.scripts, false);
});

test("a server without tool files has no script routes", async () => {
  const app = createTestApp({ model: new ScriptedModel([]) });
  assert.equal((await app.call("GET", "/v1/scripts")).status, 404);
});

// Contract: scripts-74
test("script routes reject other sites' pages and form posts", async () => {
  const { app, asked } = testApp();
  const headers = { Authorization: "Bearer one" };
  const approve = "http://127.0.0.1/v1/scripts/script_1/approve";
  const foreign = await app.fetch(
    new Request(approve, {
      method: "POST",
      headers: { ...headers, Origin: "https://evil.example", "Content-Type": "application/json" },
      body: JSON.stringify({ content_hash: "c1" }),
    }),
  );
  assert.equal(foreign.status, 403);
  const form = await app.fetch(
    new Request(approve, {
      method: "POST",
      headers: { ...headers, "Content-Type": "text/plain" },
      body: JSON.stringify({ content_hash: "c1" }),
    }),
  );
  assert.equal(form.status, 415);
  assert.deepEqual(asked, []);
});

test("files are read, checked, created, saved, approved, deleted and restored by their id", async () => {
  const { json, asked, send } = testApp();
  assert.deepEqual((await json<ListView<ScriptView>>("GET", "/v1/scripts")).data, [view]);
  assert.deepEqual(await json("GET", "/v1/scripts/script_1"), detail);
  assert.equal(
    (await send("GET", "/v1/scripts/script_1")).headers.get("cache-control"),
    "no-store",
  );
  await json("GET", "/v1/scripts/script_1/files");
  await json("POST", "/v1/scripts/check", { name: "a.py", source: "def" });
  await json("POST", "/v1/scripts", { name: "a" });
  await json("PUT", "/v1/scripts/script_1", { source: "new", based_on: "h1" });
  await json("POST", "/v1/scripts/script_1/approve", { content_hash: "c1" });
  await json("POST", "/v1/scripts/script_1/revoke");
  const gone = await json("DELETE", "/v1/scripts/script_1");
  assert.deepEqual(gone, { id: "script_1", object: "script.deleted", deleted: true });
  await json("POST", "/v1/scripts/script_9/restore");
  assert.deepEqual(asked, [
    ["create", "a"],
    ["save", "script_1", { source: "new", basedOn: "h1" }],
    ["approve", "script_1", "c1"],
    ["revoke", "script_1"],
    ["remove", "script_1"],
    ["restore", "script_9"],
  ]);
});

test("values for scripts are set and removed, and no answer contains one", async () => {
  const { json, asked, code, send } = testApp();
  assert.deepEqual((await json<ListView<ScriptValueView>>("GET", "/v1/scripts/environment")).data, [
    value,
  ]);
  const path = "/v1/scripts/environment/WEATHER_KEY";
  const set = await send("PUT", path, { value: "sesame" });
  const text = await set.text();
  assert.deepEqual(JSON.parse(text), value);
  assert.doesNotMatch(text, /sesame/);
  assert.equal(set.headers.get("cache-control"), "no-store");
  assert.deepEqual(asked, [["setValue", "WEATHER_KEY", "sesame"]]);
  const deleted = { object: "script_value.deleted", name: "WEATHER_KEY", deleted: true };
  assert.deepEqual(await json("DELETE", path), deleted);
  assert.equal(
    await code("DELETE", "/v1/scripts/environment/OTHER"),
    "404 script_value_not_found id",
  );
  const wrong = await send("PUT", "/v1/scripts/environment/1", { value: "sesame" });
  assert.equal(wrong.status, 400);
  assert.doesNotMatch(await wrong.text(), /sesame/);
  assert.equal(await code("PUT", path, { value: 7 }), "400 invalid_value value");
});

// Contract: scripts-75
test("an invalid field is named, and an id without a file is a 404", async () => {
  const { code } = testApp();
  for (const id of ["script_9", "..%2f..%2fetc%2fpasswd", "look.py"]) {
    assert.equal(await code("GET", `/v1/scripts/${id}`), "404 script_not_found id");
    const saved = await code("PUT", `/v1/scripts/${id}`, { source: "", based_on: "h" });
    assert.equal(saved, "404 script_not_found id");
  }
  assert.equal(
    await code("PUT", "/v1/scripts/script_1", { source: "x" }),
    "400 invalid_value based_on",
  );
  const large = { source: "x".repeat(1_000_001), based_on: "h1" };
  assert.equal(await code("PUT", "/v1/scripts/script_1", large), "400 invalid_value source");
  assert.equal(
    await code("POST", "/v1/scripts/check", { name: "x.rb", source: "" }),
    "400 invalid_value name",
  );
  assert.equal(
    await code("GET", "/v1/scripts/script_1/files?version=older"),
    "400 invalid_value version",
  );
  assert.equal(
    await code("GET", "/v1/scripts/script_1/files?version=approved"),
    "404 version_not_found id",
  );
  const other = testApp({ status: "conflict", message: "It changed." });
  assert.equal(
    await other.code("PUT", "/v1/scripts/script_1", { source: "", based_on: "h" }),
    "409 conflict request",
  );
  const bad = testApp({ status: "invalid", field: "name", message: "no" });
  assert.equal(await bad.code("POST", "/v1/scripts", { name: "../x" }), "400 invalid_value name");
});

// Contract: scripts-78
test("a user's direct call is a run: it passes the gate, is recorded, and is in the list of last calls", async () => {
  const { json, store, code } = testApp();
  const own = { owner: "ada" };
  const begun = await json<RunView>("POST", "/v1/scripts/script_1/calls", {
    tool: "Look",
    arguments: { at: "sea" },
  });
  await ended(store, begun.id);
  const calls = await json<ListView<ScriptCallView>>("GET", "/v1/scripts/script_1/calls");
  assert.deepEqual(
    calls.data.map(({ run, toolId, made_by: by, status, args, result }) => [
      run,
      toolId,
      by,
      status,
      args,
      result?.finalText,
    ]),
    [[begun.id, "g.Look", "person", "succeeded", { at: "sea" }, "saw sea"]],
  );
  assert.equal((await store.getRun({ ...own, id: begun.id }))?.status, "completed");
  assert.equal(
    await code("POST", "/v1/scripts/script_1/calls", { tool: "Other", arguments: {} }),
    "400 invalid_value tool",
  );
  // Its owner can read it like any other run.
  const shown = await json<JsonObject>("GET", `/v1/responses/${begun.id}`);
  const { status, background, model, tools, max_tool_calls: most } = shown;
  assert.deepEqual(
    { status, background, model, tools, most },
    { status: "completed", background: true, model: "capstan/call", tools: [], most: null },
  );
  const stored = (await store.getRun({ ...own, id: begun.id }))?.request as JsonObject;
  assert.partialDeepStrictEqual(stored["wire"], {
    echo: { background: true, tools: [] },
    servers: [],
  });
});

// Contract: scripts-78
test("no request makes a direct call by naming its model id", async () => {
  const store = openMemoryStore();
  const app = createTestApp({
    // An embedding program can define a model with any name.
    model: new ScriptedModel([{ calls: [{ name: "Look", args: { at: "sea" } }] }, "done"], {
      id: "capstan/call",
    }),
    tools,
    store,
    scripts: fakeAuthoring().authoring,
  });
  const asked = await app.call("POST", "/v1/responses", {
    model: "capstan/call",
    input: "go",
    tools: toyTools,
  });
  const calls = await app.call("GET", "/v1/scripts/script_1/calls");
  assert.deepEqual(calls.body.data, []);
  assert.deepEqual([asked.status, asked.body.error?.code], [400, "model_not_found"]);
  const begun = await app.call("POST", "/v1/scripts/script_1/calls", {
    tool: "Ask",
    arguments: {},
  });
  await runIn(store, begun.body.id, "requires_action");
  await app.call("POST", `/v1/runs/${begun.body.id}/cancel`);
  const again = await app.call("POST", `/v1/runs/${begun.body.id}/retry`, {
    model: "capstan/call",
  });
  assert.deepEqual([again.status, again.body.error?.param], [400, "model"]);
});

// Contract: scripts-78
test("a direct call that needs approval waits for a user, who answers or stops it, without a model", async () => {
  const { json, store } = testApp();
  const begin = () =>
    json<RunView>("POST", "/v1/scripts/script_1/calls", { tool: "Ask", arguments: {} });
  const first = await begin();
  await waits(store, first.id);
  const { data } = await json<ListView<{ id: string; status: string }>>(
    "GET",
    `/v1/runs/${first.id}/approvals`,
  );
  await json("POST", `/v1/approvals/${data[0]?.id}`, { decision: "allow" });
  await ended(store, first.id);
  const second = await begin();
  await waits(store, second.id);
  await json("POST", `/v1/runs/${second.id}/cancel`);
  const calls = await json<ListView<ScriptCallView>>("GET", "/v1/scripts/script_1/calls?limit=1");
  assert.deepEqual([calls.data.map(({ status }) => status), calls.has_more], [["cancelled"], true]);
});

test("a stopped direct call is retried as a direct call, without a model", async () => {
  const { json, code, store } = testApp();
  const first = await json<RunView>("POST", "/v1/scripts/script_1/calls", {
    tool: "Ask",
    arguments: {},
  });
  await waits(store, first.id);
  await json("POST", `/v1/runs/${first.id}/cancel`);
  await runIn(store, first.id, "cancelled", "ada");
  const path = `/v1/runs/${first.id}/retry`;
  assert.equal(await code("POST", path, { model: "test/scripted" }), "400 invalid_value model");
  const again = await json<RunView>("POST", path, {});
  await ended(store, again.id);
  const calls = await json<ListView<ScriptCallView>>("GET", "/v1/scripts/script_1/calls");
  assert.deepEqual(
    calls.data.map(({ run, made_by: by }) => [run, by]),
    [
      [again.id, "person"],
      [first.id, "person"],
    ],
  );
});

test("changes are streamed as they occur, and a disconnected reader is removed", async () => {
  const { send, listeners } = testApp();
  const response = await send("GET", "/v1/scripts/events");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  assert.match((await reader.read()).value ?? "", /event: scripts\.changed\ndata: .*"revision":1/);
  const next = reader.read();
  while (listeners.size === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const listener of listeners) listener();
  assert.match((await next).value ?? "", /"revision":2/);
  await reader.cancel();
  while (listeners.size > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a check that its client aborts is not an error", async () => {
  const { authoring } = fakeAuthoring();
  const stop = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const lines: string[] = [];
  const app = createTestApp({
    model: new ScriptedModel([]),
    log: (line) => void lines.push(line),
    scripts: {
      ...authoring,
      check: (_text, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("left")));
          waiting.resolve();
        }),
    },
  });
  const body = { name: "a.py", source: "" };
  const answer = app.fetch(requestTo("POST", "/v1/scripts/check", body, stop.signal));
  await waiting.promise;
  stop.abort();
  assert.equal((await answer).status, 409);
  assert.deepEqual(lines, []);
});

type TestStore = ReturnType<typeof openMemoryStore>;

const ended = (store: TestStore, id: string) => runIn(store, id, "completed", "ada");
const waits = (store: TestStore, id: string) => runIn(store, id, "requires_action", "ada");

test("streams of changes count among the open streams of their user", async () => {
  const { send } = testApp(undefined, { streamsOfOne: 1 });
  const open = await send("GET", "/v1/scripts/events");
  assert.equal((await send("GET", "/v1/scripts/events")).status, 429);
  await open.body?.cancel();
  const next = await send("GET", "/v1/scripts/events");
  assert.equal(next.status, 200);
  await next.body?.cancel();
});
