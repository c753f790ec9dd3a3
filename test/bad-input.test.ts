import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import type { ErrorBody } from "@capstan/contract";
import { ApiRefusal, createApi, groupTool } from "./api.ts";
import {
  createServerFolder,
  runServerToEnd,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "./server-process.ts";

const resources = new AsyncDisposableStack();
let folder: ServerFolder;
let server: ServerProcess;
/** A server with the keys of two users and a small limit for bodies. */
let keyed: ServerProcess;

before(async () => {
  folder = resources.use(await createServerFolder());
  const other = resources.use(
    await createServerFolder({
      "capstan.config.json": JSON.stringify({ limits: { bodyBytes: 20_000 } }),
    }),
  );
  [server, keyed] = await Promise.all([
    startServerProcess({ folder }),
    startServerProcess({
      folder: other,
      environment: { CAPSTAN_API_KEYS: "ann:key-of-ann,bob:key-of-bob" },
    }),
  ]);
  resources.use(server);
  resources.use(keyed);
});

after(() => resources.disposeAsync());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** @default the server without keys */
  readonly to?: ServerProcess;
}

/**
 * Sends a request that `fetch` cannot send (it does not allow a forged `Host`), and reads the
 * answer.
 */
async function send({ method = "POST", path = "/v1/responses", headers, body, to }: Sent) {
  const url = new URL(path, (to ?? server).url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const request = httpRequest(url, { method, headers: headers ?? json }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (more: string) => (text += more));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    response.on("error", reject);
  });
  request.on("error", reject);
  request.end(body);
  return promise;
}

const json = { "content-type": "application/json" };
const hello = JSON.stringify({ model: "capstan/offline", input: "Hello" });

/** Checks that a request is rejected with an API error, and that the server still answers. */
async function assertRefused(
  sent: Sent,
  expected: { status: number; code?: string; param?: string | RegExp; message?: RegExp },
): Promise<void> {
  const { status, text } = await send(sent);
  assert.equal(status, expected.status, text);
  const { error, ...rest } = JSON.parse(text) as ErrorBody;
  assert.deepEqual(rest, {});
  assert.deepEqual(Object.keys(error).toSorted(), ["code", "message", "param", "type"]);
  assert.ok(error.message.length > 10, text);
  if (expected.code !== undefined) assert.equal(error.code, expected.code, text);
  if (typeof expected.param === "string") assert.equal(error.param, expected.param, text);
  else if (expected.param !== undefined) assert.match(error.param, expected.param);
  if (expected.message !== undefined) assert.match(error.message, expected.message);
  const health = await send({ method: "GET", path: "/healthz", to: sent.to ?? server });
  assert.deepEqual(JSON.parse(health.text), { status: "ok" });
}

const withBody = (body: object): Sent => ({
  body: JSON.stringify({ model: "capstan/offline", input: "Hello", ...body }),
});

test("malformed JSON is rejected with the position of the error", async () => {
  await assertRefused({ body: '{"model": "x", ' }, { status: 400, code: "invalid_json" });
  await assertRefused({ body: "" }, { status: 400 });
  await assertRefused({ body: "\u0000\u0001" }, { status: 400, code: "invalid_json" });
  await assertRefused({ body: "[]" }, { status: 400 });
  await assertRefused({ body: "null" }, { status: 400 });
  await assertRefused({ path: "/v1/conversations", body: "{" }, { status: 400 });
});

test("a duplicate key is rejected by name, so no answer can replace a rejection", async () => {
  const answer =
    '{"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": false, "approve": true}';
  for (const [path, body, message] of [
    ["/v1/responses", `{"input": [${answer}]}`, /input\[0\] has the key "approve" twice/],
    ["/v1/responses", '{"input": "a", "input": "b"}', /it has the key "input" twice/],
  ] as const)
    await assertRefused({ path, body }, { status: 400, code: "invalid_json", message });
});

const wrongTypes: readonly (readonly [body: object, param: string])[] = [
  [{ input: 5 }, "input"],
  [{ input: [{ role: "pirate", content: "x" }] }, "input[0]"],
  [{ model: 7 }, "model"],
  [{ stream: "yes" }, "stream"],
  [{ temperature: "hot" }, "temperature"],
  [{ temperature: 9 }, "temperature"],
  [{ max_output_tokens: -1 }, "max_output_tokens"],
  [{ tools: {} }, "tools"],
  [{ tools: [{ type: "function" }] }, "tools[0].name"],
  [{ previous_response_id: 3 }, "previous_response_id"],
  [{ metadata: [] }, "metadata"],
  [{ conversation: 3 }, "conversation"],
  [{ tool_choice: "sometimes" }, "tool_choice"],
];

for (const [body, param] of wrongTypes) {
  test(`a wrong ${JSON.stringify(body)} is rejected by its name`, async () => {
    const start = new RegExp(`^${param.replaceAll(/[[\]]/g, "\\$&")}`);
    await assertRefused(withBody(body), { status: 400, param: start });
  });
}

test("unknown fields are ignored", async () => {
  const { status, text } = await send(
    withBody({ frobnicate: { deep: [1] }, prompt_cache_retention: "24h", reasoning: { x: 1 } }),
  );
  assert.equal(status, 200, text);
  const made = await send({ path: "/v1/conversations", body: '{"colour":"blue"}' });
  assert.equal(made.status, 200);
});

test("an unknown model is rejected with a list of the models", async () => {
  await assertRefused(withBody({ model: "gpt-99" }), {
    status: 400,
    code: "model_not_found",
    param: "model",
    message: /capstan\/offline/,
  });
});

test("an unknown tool group is rejected with a list of the groups", async () => {
  await assertRefused(withBody({ tools: [groupTool("rigging")] }), {
    status: 400,
    param: /^tools/,
    message: /files/,
  });
});

test("an unknown previous_response_id or conversation is rejected", async () => {
  await assertRefused(withBody({ previous_response_id: "resp_none" }), {
    status: 400,
    code: "previous_response_not_found",
    param: "previous_response_id",
  });
  await assertRefused(withBody({ conversation: "conv_none" }), {
    status: 404,
    code: "conversation_not_found",
  });
});

test("an absent object returns 404 for any form of id", async () => {
  const ids = ["none", "%00", "..%2f..%2fetc", "a".repeat(3_000), "%F0%9F%92%A9", "' OR 1=1 --"];
  for (const id of ids) {
    for (const path of ["responses", "runs", "conversations", "approvals"])
      await assertRefused({ method: "GET", path: `/v1/${path}/${id}` }, { status: 404 });
  }
});

test("a query that is not a number is rejected by its name", async () => {
  await assertRefused(
    { method: "GET", path: "/v1/conversations?limit=many" },
    { status: 400, param: "limit" },
  );
});

test("without a key or with a wrong key, nothing is shown", async () => {
  const get = { method: "GET", path: "/v1/conversations", to: keyed };
  const refused = { status: 401, code: "invalid_api_key" };
  await assertRefused({ ...get, headers: {} }, refused);
  await assertRefused({ ...get, headers: { authorization: "Bearer key-of-eve" } }, refused);
  await assertRefused({ ...get, headers: { authorization: "Basic a2V5" } }, refused);
  await assertRefused({ body: hello, to: keyed }, refused);
  const allowed = await send({ ...get, headers: { authorization: "Bearer key-of-ann" } });
  assert.equal(allowed.status, 200);
});

// Contract: durability-74
test("another principal's objects are reported as absent", async () => {
  const ann = createApi(keyed.url, "key-of-ann");
  const bob = createApi(keyed.url, "key-of-bob");
  const { id: conversation } = await ann.createConversation();
  const run = await ann.startTurn({ conversation, input: "Mine" });
  await ann.finishedEvents(run);
  await ann.putVariable(conversation, "secret", { text: "treasure" });

  const ask = (body: object) =>
    bob.request("POST", "/v1/responses", { model: "capstan/offline", input: "x", ...body });
  const [foreign, unknown] = await Promise.all([
    refusal(ask({ previous_response_id: run })),
    refusal(ask({ previous_response_id: "resp_none" })),
  ]);
  assert.equal(foreign.status, 400);
  assert.equal(foreign.message.replace(run, ""), unknown.message.replace("resp_none", ""));
  await assert.rejects(ask({ conversation }), { status: 404 });
  const paths = [
    `/v1/responses/${run}`,
    `/v1/responses/${run}?stream=true`,
    `/v1/responses/${run}/input_items`,
    `/v1/runs/${run}`,
    `/v1/runs/${run}/events`,
    `/v1/conversations/${conversation}`,
    `/v1/conversations/${conversation}/runs`,
    `/v1/conversations/${conversation}/variables`,
    `/v1/conversations/${conversation}/variables/secret`,
    `/v1/grants?conversation=${conversation}`,
    `/v1/approvals?conversation=${conversation}`,
  ];
  for (const path of paths) await assert.rejects(bob.request("GET", path), { status: 404 }, path);
  for (const path of [`runs/${run}/cancel`, `runs/${run}/retry`, `responses/${run}/cancel`])
    await assert.rejects(bob.request("POST", `/v1/${path}`), { status: 404 }, path);
  await assert.rejects(bob.deleteVariable(conversation, "secret"), { status: 404 });
  await assert.rejects(bob.request("DELETE", `/v1/responses/${run}`), { status: 404 });
  await assert.rejects(bob.request("DELETE", `/v1/conversations/${conversation}`), { status: 404 });
  const lists = await bob.request<{ data: unknown[] }>("GET", "/v1/conversations");
  assert.deepEqual(lists.data, []);
  assert.equal((await ann.readVariable(conversation, "secret")).text, "treasure");
});

test("a body over the limit is rejected with and without Content-Length", async () => {
  const body = JSON.stringify({ model: "capstan/offline", input: "x".repeat(30_000) });
  const headers = { ...json, authorization: "Bearer key-of-ann" };
  const refused = { status: 413, code: "body_too_large" };
  const length = String(Buffer.byteLength(body));
  await assertRefused(
    { body, to: keyed, headers: { ...headers, "content-length": length } },
    refused,
  );
  await assertRefused(
    { body, to: keyed, headers: { ...headers, "transfer-encoding": "chunked" } },
    refused,
  );
});

test("content types that a form of another site can post are rejected", async () => {
  const refused = { status: 415, code: "unsupported_media_type" };
  for (const headers of [
    {},
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "multipart/form-data; boundary=x" },
  ])
    await assertRefused({ headers, body: hello }, refused);
  const charset = { "content-type": "application/json; charset=utf-8" };
  assert.equal((await send({ headers: charset, body: hello })).status, 200);
});

test("a forged Host is rejected, and the server's own names are accepted", async () => {
  const refused = { status: 403, code: "host_not_allowed" };
  for (const host of ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
    await assertRefused({ headers: { ...json, host }, body: hello }, refused);
  for (const path of ["/", "/healthz", "/v1/models"])
    await assertRefused({ method: "GET", path, headers: { host: "evil.example" } }, refused);
  const { port } = new URL(server.url);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    const { status } = await send({ method: "GET", path: "/v1/models", headers: { host } });
    assert.equal(status, 200, host);
  }
});

test("a forged Origin is rejected, and the page's own is accepted", async () => {
  const refused = { status: 403, code: "origin_not_allowed" };
  for (const origin of ["https://evil.example", "null", `${server.url}.evil.example`, "file://"])
    await assertRefused({ headers: { ...json, origin }, body: hello }, refused);
  // Another port of this machine is another origin.
  await assertRefused({ headers: { ...json, origin: "http://127.0.0.1:1" }, body: hello }, refused);
  assert.equal((await send({ headers: { ...json, origin: server.url }, body: hello })).status, 200);
});

test("pages of other sites cannot load an API route as an image or a script", async () => {
  const refused = { status: 403, code: "origin_not_allowed" };
  const get = (headers: Record<string, string>) => ({ method: "GET", path: "/v1/models", headers });
  for (const site of ["cross-site", "same-site"])
    await assertRefused(get({ "sec-fetch-site": site, "sec-fetch-mode": "no-cors" }), refused);
  for (const [site, mode] of [
    ["cross-site", "navigate"],
    ["same-origin", "cors"],
    ["none", "navigate"],
  ] as const) {
    const { status } = await send(get({ "sec-fetch-site": site, "sec-fetch-mode": mode }));
    assert.equal(status, 200, `${site} ${mode}`);
  }
});

test("an unknown route or method is rejected with an API error", async () => {
  const refused = { status: 404, code: "unknown_route" };
  await assertRefused({ method: "GET", path: "/v1/nothing" }, refused);
  await assertRefused({ path: "/v1/models", body: "{}" }, refused);
  await assertRefused({ method: "DELETE", path: "/v1/responses" }, refused);
});

test("a second server on the same data directory names the server that uses it", async () => {
  const { code, output } = await runServerToEnd({ folder });
  assert.equal(code, 1);
  assert.ok(output.includes(folder.data), output);
  assert.ok(output.includes(server.url), output);
  assert.equal((await send({ body: hello })).status, 200, "the first server still serves");
});

test("a second server on the same port reports that the port is in use", async () => {
  await using other = await createServerFolder();
  const { port } = new URL(server.url);
  const { code, output } = await runServerToEnd({ folder: other, flags: ["--port", port] });
  assert.equal(code, 1);
  assert.match(output, new RegExp(`Port ${port} .* is in use.*Capstan runs there already`));
});

test("a host that other machines reach is rejected without keys", async () => {
  await using other = await createServerFolder();
  const { code, output } = await runServerToEnd({ folder: other, flags: ["--host", "0.0.0.0"] });
  assert.notEqual(code, 0);
  assert.match(output, /CAPSTAN_API_KEYS/);
});

async function refusal(promise: Promise<unknown>): Promise<ApiRefusal> {
  const thrown: unknown = await promise.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof ApiRefusal, String(thrown));
  return thrown;
}
