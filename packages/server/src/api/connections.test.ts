import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionService } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

/** Records the changes that reach the service. */
function fakeService(changes: unknown[]): ConnectionService {
  const view = { object: "connection", name: "tool", type: "program" };
  return {
    states: () => new Map(),
    get: async () => view,
    create: async (body: unknown) => {
      changes.push(body);
      return { status: "done", value: view };
    },
    change: async (_name: string, body: unknown) => {
      changes.push(body);
      return { status: "done", value: view };
    },
  } as unknown as ConnectionService;
}

test("a key without the right approve adds no program and no private server, and enables no program", async () => {
  const changes: unknown[] = [];
  const { fetch } = createTestApp({
    model: new ScriptedModel([]),
    apiKeys: [
      { name: "ann", key: "ANN", rights: ["ask", "admin"] },
      { name: "ben", key: "BEN", rights: ["ask", "approve", "admin"] },
    ],
    connections: fakeService(changes),
  });
  const program = { name: "tool", command: "/bin/sh" };
  const inPrivate = { name: "tool", url: "https://mcp.example.org", private: true };
  const send = async (method: string, path: string, body: object, key: string) => {
    const request = requestTo(method, path, body);
    request.headers.set("authorization", `Bearer ${key}`);
    return (await fetch(request)).status;
  };
  for (const [method, path, body] of [
    ["POST", "/v1/connections", program],
    ["POST", "/v1/connections", inPrivate],
    ["PATCH", "/v1/connections/tool", { enabled: true }],
  ] as const) {
    assert.equal(await send(method, path, body, "ANN"), 403);
    assert.equal(changes.length, 0);
    assert.equal(await send(method, path, body, "BEN"), 200);
    assert.deepEqual(changes.splice(0), [body]);
  }
  assert.equal(await send("PATCH", "/v1/connections/tool", { enabled: false }, "ANN"), 200);
});
