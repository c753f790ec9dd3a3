import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ScriptedModel } from "@capstan/core/testing";
import { routeRights } from "../http/rights.ts";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { openApiDocument, operationsByTag } from "./document.ts";

type SpecData = Exclude<Parameters<Validator["validate"]>[0], string>;

// Contract: openapi-1
test("every route of the server is in the document, and no other", () => {
  const described = Object.values(operationsByTag()).flatMap(Object.keys);
  const routes = routeRights.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(described.toSorted(), routes.toSorted());
});

// Contract: openapi-2
test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(openApiDocument({ version: "1.0.0" })) as unknown as SpecData,
  );
  assert.ok(valid, JSON.stringify(errors));
});

test("operation ids are unique, and every type that is referred to is described", () => {
  const document = openApiDocument({ version: "1.0.0" });
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  assert.equal(new Set(ids).size, ids.length);
  const names = [...JSON.stringify(document).matchAll(/components\/schemas\/([^"]+)"/g)];
  for (const [, name = ""] of names) assert.ok(name in document.components.schemas, name);
});

// Contract: openapi-5
test("every status of an error that the server answers with is in the document", async () => {
  const { paths } = openApiDocument({ version: "1.0.0" });
  const model = new ScriptedModel([]);
  const app = createTestApp({ model, apiKeys: [{ name: "ann", key: "ANN", rights: ["ask"] }] });
  const send = async (method: string, path: string, headers: object, body?: string) => {
    const init = { method, headers: headers as { readonly [name: string]: string }, body };
    const url = `http://127.0.0.1${path.replaceAll(/\{\w+\}/g, "no_such_id")}`;
    const { body: content, ...rest } = init;
    return (await app.fetch(new Request(url, content === undefined ? rest : init))).status;
  };
  const key = { authorization: "Bearer ANN" };
  const json = { ...key, "content-type": "application/json" };
  const seen = new Set<number>();
  for (const [path, methods] of Object.entries(paths))
    for (const [name, { responses }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      const reads = method === "POST" || method === "PUT";
      const answers = [
        await send(method, path, {}),
        await send(method, path, { ...key, origin: "https://other.example" }),
        await send(method, path, reads ? json : key, reads ? '{"model":"nobody/none"}' : undefined),
        await send(method, `${path}?limit=x&order=x&stream=x`, reads ? json : key),
        ...(reads ? [await send(method, path, { ...key, "content-type": "text/plain" }, "x")] : []),
        ...(reads ? [await send(method, path, json, "{")] : []),
      ];
      for (const status of answers.filter((each) => each >= 400)) {
        seen.add(status);
        assert.ok(status in responses, `${method} ${path}: ${status}`);
      }
    }
  assert.deepEqual(
    [400, 401, 403, 404, 415].filter((status) => !seen.has(status)),
    [],
  );
});

// Contract: openapi-3
test("the document and its page are served without a key", async () => {
  const { fetch } = createTestApp({
    model: new ScriptedModel([]),
    apiKeys: [{ name: "ann", key: "ANN" }],
  });
  const document = await fetch(requestTo("GET", "/openapi.json"));
  assert.equal(document.status, 200);
  assert.equal(((await document.json()) as { openapi: string }).openapi, "3.1.1");
  const page = await fetch(requestTo("GET", "/docs"));
  assert.equal(page.status, 200);
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const html = await page.text();
  assert.doesNotMatch(html, /<script|undefined|\[object/);
  const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const [, target = ""] of html.matchAll(/href="#([^"]+)"/g))
    assert.ok(anchors.has(target), target);
});
