import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { GivenFile, JsonObject } from "@capstan/core";
import {
  openDocument,
  sendJson,
  startService,
  type TestDocument,
  type TestService,
} from "./testing/test-service.ts";

// The requests that a service receives, byte by byte.

let service: TestService;
let pets: TestDocument;

const parameter = (name: string, place: string, more: object = {}) => ({
  name,
  in: place,
  ...(place === "path" && { required: true }),
  ...more,
});
const list = { type: "array", items: { type: "string" } };
const object = { type: "object" };
const body = (type: string, schema: object = {}, more: object = {}) => ({
  required: true,
  content: { [type]: { schema, ...more } },
});

const paths = {
  "/simple/{a}": { get: { operationId: "simple", parameters: [parameter("a", "path")] } },
  "/label/{a}": {
    get: {
      operationId: "label",
      parameters: [parameter("a", "path", { style: "label", explode: true })],
    },
  },
  "/matrix/{a}/end": {
    get: { operationId: "matrix", parameters: [parameter("a", "path", { style: "matrix" })] },
  },
  "/query": {
    get: {
      operationId: "query",
      parameters: [
        parameter("form", "query", { schema: list }),
        parameter("joined", "query", { schema: list, explode: false }),
        parameter("space", "query", { schema: list, style: "spaceDelimited", explode: false }),
        parameter("pipe", "query", { schema: list, style: "pipeDelimited", explode: false }),
        parameter("deep", "query", { schema: object, style: "deepObject" }),
        parameter("members", "query", { schema: object }),
        parameter("json", "query", { content: { "application/json": { schema: object } } }),
        parameter("reserved", "query", { allowReserved: true }),
        parameter("a[b]", "query"),
      ],
    },
  },
  "/headers": {
    get: {
      operationId: "headers",
      parameters: [
        parameter("X-List", "header", { schema: list }),
        parameter("X-Object", "header", { schema: object, explode: true }),
        parameter("session", "cookie"),
      ],
    },
  },
  "/json": { post: { operationId: "json", requestBody: body("application/json", object) } },
  "/form": {
    post: { operationId: "form", requestBody: body("application/x-www-form-urlencoded", object) },
  },
  "/text": { put: { operationId: "text", requestBody: body("text/csv") } },
  "/file": { put: { operationId: "file", requestBody: body("application/octet-stream") } },
  "/parts": {
    post: {
      operationId: "parts",
      requestBody: body(
        "multipart/form-data",
        {
          type: "object",
          required: ["photo"],
          properties: {
            photo: { type: "string", format: "binary" },
            more: { type: "array", items: { type: "string", format: "binary" } },
            note: { type: "string" },
            data: object,
          },
        },
        { encoding: { data: { contentType: "application/vnd.a+json" } } },
      ),
    },
  },
  "/once": {
    post: { operationId: "once", parameters: [parameter("Idempotency-Key", "header")] },
  },
  "/secret": { get: { operationId: "secret", security: [{ query: [], cookie: [] }] } },
  "/basic": { get: { operationId: "basic", security: [{ missing: [] }, { basic: [] }] } },
  "/open": { get: { operationId: "open", security: [] } },
  "/locked": { get: { operationId: "locked", security: [{ missing: [] }] } },
};

const document = () => ({
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: `${service.url}/v1` }],
  security: [{}, { token: [] }],
  components: {
    securitySchemes: {
      token: { type: "http", scheme: "bearer" },
      query: { type: "apiKey", in: "query", name: "key" },
      cookie: { type: "apiKey", in: "cookie", name: "sid" },
      basic: { type: "http", scheme: "basic" },
      missing: { type: "oauth2", flows: {} },
    },
  },
  paths,
});

before(async () => {
  service = await startService();
  pets = openDocument(document(), {
    server: `${service.url}/v1`,
    headers: { "X-Fixed": "fixed" },
    credentials: {
      token: "canary-token",
      query: "canary&query",
      cookie: "canary;cookie",
      basic: { username: "ann", password: "canary-password" },
    },
  });
  await pets.connections.check();
});
beforeEach(() => {
  service.requests.length = 0;
});
after(async () => {
  await pets[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function sent(name: string, args: JsonObject, files: readonly GivenFile[] = []) {
  const text = await pets.call(name, args, { files: { _all: files } });
  const [request] = service.requests;
  assert.ok(request, text);
  return request;
}

const targetOf = async (name: string, args: JsonObject) => (await sent(name, args)).target;

test("no value of a path can change another part of the address", async () => {
  assert.equal(await targetOf("simple", { a: "a/../b?c#d%" }), "/v1/simple/a%2F..%2Fb%3Fc%23d%25");
  assert.equal(service.requests[0]?.headers["host"], service.host);
  for (const a of ["..", ".", ""]) {
    service.requests.length = 0;
    assert.match(await pets.call("simple", { a }), /invalid_arguments/);
    assert.equal(service.requests.length, 0);
  }
});

test("values of paths have the styles simple, label and matrix", async () => {
  assert.equal(await targetOf("simple", { a: ["1", "é"] }), "/v1/simple/1,%C3%A9");
  service.requests.length = 0;
  assert.equal(await targetOf("label", { a: { x: 1, y: 2 } }), "/v1/label/.x=1.y=2");
  service.requests.length = 0;
  assert.equal(await targetOf("matrix", { a: ["1", "2"] }), "/v1/matrix/;a=1,2/end");
});

test("values of the query have their styles", async () => {
  const args = {
    form: ["a&b", "c"],
    joined: ["a", "b,c"],
    space: ["a", "b"],
    pipe: ["a", "b"],
    deep: { color: "red", size: { min: 3 }, tags: ["x"] },
    members: { r: 1, g: 2 },
    json: { a: [1] },
    reserved: "a/b?c&d=e#f",
    a_b: "+ é",
  };
  assert.equal(
    await targetOf("query", args),
    "/v1/query?form=a%26b&form=c&joined=a,b%2Cc&space=a%20b&pipe=a%7Cb" +
      "&deep%5Bcolor%5D=red&deep%5Bsize%5D%5Bmin%5D=3&deep%5Btags%5D%5B%5D=x" +
      "&r=1&g=2&json=%7B%22a%22%3A%5B1%5D%7D&reserved=a/b?c%26d=e%23f&a%5Bb%5D=%2B%20%C3%A9",
  );
  service.requests.length = 0;
  assert.equal(await targetOf("query", { form: [] }), "/v1/query");
});

test("values cannot add headers or cookies to a request", async () => {
  const { headers } = await sent("headers", {
    "X-List": ["a", "b"],
    "X-Object": { x: 1, y: 2 },
    session: "a; b=c",
  });
  assert.equal(headers["x-list"], "a,b");
  assert.equal(headers["x-object"], "x=1,y=2");
  assert.equal(headers["cookie"], "session=a%3B%20b%3Dc");
  assert.equal(headers["x-fixed"], "fixed");
  service.requests.length = 0;
  assert.match(await pets.call("headers", { "X-List": ["a\r\nx: y"] }), /line break/);
  assert.equal(service.requests.length, 0);
});

test("bodies are JSON, a form, a text or a file", async () => {
  const json = await sent("json", { body: { a: "é" } });
  assert.deepEqual(
    [json.headers["content-type"], json.body.toString()],
    ["application/json", '{"a":"é"}'],
  );
  service.requests.length = 0;
  const form = await sent("form", { body: { a: "x y&z", b: ["1", "2"], c: { d: 1 } } });
  assert.equal(form.headers["content-type"], "application/x-www-form-urlencoded");
  assert.equal(form.body.toString(), "a=x%20y%26z&b=1&b=2&c=%7B%22d%22%3A1%7D");
  service.requests.length = 0;
  const text = await sent("text", { body: "a,b" });
  assert.deepEqual(
    [text.headers["content-type"], text.body.toString()],
    ["text/csv; charset=utf-8", "a,b"],
  );
  service.requests.length = 0;
  const bytes = new Uint8Array([0, 255, 10]);
  const png: GivenFile = { id: "file-1", name: "a.png", mimeType: "image/png", read: () => bytes };
  const file = await sent("file", { body: "file-1" }, [png]);
  assert.equal(file.headers["content-type"], "image/png");
  assert.deepEqual(new Uint8Array(file.body), bytes);
});

test("multipart forms contain files of the conversation, and no others", async () => {
  const files: GivenFile[] = [
    { id: "file-1", name: 'a".png', mimeType: "image/png", read: () => new Uint8Array([1, 2]) },
    { id: "file-2", name: "b.txt", mimeType: "text/plain", read: () => new Uint8Array([98]) },
  ];
  const args = { body: { photo: "file-1", more: ["b.txt"], note: "n", data: { a: 1 } } };
  const request = await sent("parts", args, files);
  const type = request.headers["content-type"] as string;
  const [, boundary = ""] = /^multipart\/form-data; boundary=(.+)$/.exec(type) ?? [];
  const parts = request.body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  assert.deepEqual(
    parts.map((part) => part.replaceAll("\r\n", "\n").trim()),
    [
      'Content-Disposition: form-data; name="photo"; filename="a%22.png"\nContent-Type: image/png\n\n\u0001\u0002',
      'Content-Disposition: form-data; name="more"; filename="b.txt"\nContent-Type: text/plain\n\nb',
      'Content-Disposition: form-data; name="note"\n\nn',
      'Content-Disposition: form-data; name="data"; filename="blob"\nContent-Type: application/vnd.a+json\n\n{"a":1}',
    ],
  );
  service.requests.length = 0;
  const missing = await pets.call(
    "parts",
    { body: { photo: "/etc/passwd" } },
    { files: { _all: files } },
  );
  assert.match(missing, /no file "\/etc\/passwd".*file-1/s);
  assert.equal(service.requests.length, 0);
});

test("credentials are sent as their scheme says, and models do not see them", async () => {
  const secret = await sent("secret", {});
  assert.equal(secret.target, "/v1/secret?key=canary%26query");
  assert.equal(secret.headers["cookie"], "sid=canary%3Bcookie");
  assert.equal(secret.headers["authorization"], undefined);
  service.requests.length = 0;
  const basic = await sent("basic", {});
  const encoded = Buffer.from("ann:canary-password").toString("base64");
  assert.equal(basic.headers["authorization"], `Basic ${encoded}`);
  service.requests.length = 0;
  assert.equal((await sent("open", {})).headers["authorization"], undefined);
  service.requests.length = 0;
  assert.equal((await sent("simple", { a: "1" })).headers["authorization"], "Bearer canary-token");
});

test("an operation whose credential is missing is not offered, and the status says what it needs", () => {
  const tool = pets.connections.groups[0]?.tools.find(
    ({ definition }) => definition.function.name === "locked",
  );
  assert.match(tool?.unavailable?.needs ?? "", /a credential for missing/);
  const [status] = pets.connections.status();
  assert.match(
    status?.notes.join() ?? "",
    /locked: needs a credential for missing.*connections\.pets\.credentials/,
  );
});

test("an operation with an idempotency key sends its call's key", async () => {
  const one = await sent("once", {});
  service.requests.length = 0;
  const other = await sent("once", {});
  const keys = [one, other].map(({ headers }) => headers["idempotency-key"]);
  assert.ok(keys.every((key) => typeof key === "string" && key.length > 8));
  assert.notEqual(keys[0], keys[1]);
});

test("no secret of the settings is in a definition, a result, an error or the stored files", async () => {
  service.answer = ({ headers, target }, response) =>
    sendJson(response, { headers, target }, target.includes("locked") ? 200 : 400);
  const texts = [
    await pets.call("secret", {}),
    await pets.call("basic", {}),
    await pets.call("simple", { a: "1" }),
    JSON.stringify(pets.connections.groups[0]?.tools.map(({ definition }) => definition)),
    JSON.stringify(pets.connections.status()),
    pets.log.join("\n"),
  ];
  service.answer = (_request, response) => sendJson(response, { ok: true });
  for (const text of texts) assert.doesNotMatch(text, /canary/);
  assert.match(texts[0] ?? "", /rejects the request \(400\).*\[secret\]/s);
});
