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
