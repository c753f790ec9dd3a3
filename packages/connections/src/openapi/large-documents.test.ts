import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changesInSteps } from "./manage/document-changes.ts";
import type { StoredDocument } from "./manage/stored-document.ts";
import { openDocument } from "./testing/test-service.ts";

// Tests of documents with many operations, each of which reaches the same schemas.

const count = 300;

/** Operations that each reach all schemas: each schema refers to the next one. */
function documentOf(text: string) {
  const names = Array.from({ length: count }, (_, n) => n);
  const refer = (n: number) => ({ $ref: `#/components/schemas/S${n % count}` });
  return {
    openapi: "3.1.0",
    info: { title: "Rings", version: "1" },
    servers: [{ url: "https://rings.example.org" }],
    paths: Object.fromEntries(
      names.map((n) => [
        `/a${n}`,
        {
          post: {
            operationId: `op${n}`,
            requestBody: { content: { "application/json": { schema: refer(n) } } },
            responses: { 200: { content: { "application/json": { schema: refer(n) } } } },
          },
        },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        names.map((n) => [
          `S${n}`,
          {
            type: "object",
            description: n === 7 ? text : `Number ${n}.`,
            properties: { next: refer(n + 1), text: { type: "string" } },
          },
        ]),
      ),
    },
  };
}

test("operations share the copies of the schemas that they reach", async () => {
  await using rings = openDocument(documentOf("before"));
  await rings.connections.check();
  const [first, second] = rings.connections.groups[0]?.tools ?? [];
  const defsOf = (schema: unknown) => (schema as { readonly $defs: Record<string, unknown> }).$defs;
  const [one, other] = [defsOf(first?.argumentsSchema), defsOf(second?.argumentsSchema)];
  assert.equal(Object.keys(one).length, count);
  assert.equal(one["S200"], other["S200"], "the same object");
  for (const tool of rings.connections.groups[0]?.tools ?? []) {
    const { length } = JSON.stringify(tool.definition.function.parameters);
    assert.ok(length < 8_200, `${length} characters`);
  }
});

test("the changes of a document contain each schema once", async () => {
  const document = documentOf("before");
  await using rings = openDocument(document);
  await rings.connections.check();
  rings.write(documentOf("after"));
  await rings.connections.check();
  assert.equal(rings.connections.status()[0]?.waiting.length, count);
  const changes = await rings.connections.changes("pets");
  assert.equal(changes?.changed.length, count);
  const shown = JSON.stringify(changes);
  // Once in the requests and once in the responses, before and after.
  assert.equal(shown.split('"before"').length - 1, 2);
  assert.equal(shown.split('"after"').length - 1, 2);
  assert.doesNotMatch(shown, /Number 8/, "schemas that stay the same are left out");

  const { paths } = document;
  rings.write({ ...documentOf("before"), paths: { ...paths, "/new": paths["/a0"] } });
  await rings.connections.check();
  const added = JSON.stringify((await rings.connections.changes("pets"))?.added);
  assert.equal(added.split('"Number 8."').length - 1, 2);
});

test("the changes of a document are compared in steps, between which other work runs", async () => {
  const { operations, defs } = await (async () => {
    await using rings = openDocument(documentOf("before"));
    await rings.connections.check();
    const stored = readFileSync(join(rings.folder, "documents", "pets.json"), "utf8");
    return (JSON.parse(stored) as StoredDocument).listed;
  })();
  const changed = operations.map((one) => ({ ...one, digest: `${one.digest}-2` }));
  const lists = { schemes: {}, server: "https://rings.example.org", defs };
  const steps = changesInSteps({
    accepted: { ...lists, operations },
    listed: { ...lists, operations: changed },
  });
  let count = 0;
  while (steps.next().done !== true) count++;
  assert.ok(count >= operations.length);
});
