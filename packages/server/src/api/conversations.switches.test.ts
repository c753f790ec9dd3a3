import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import type { ToolGroup } from "@capstan/core";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

const runner: ToolGroup = {
  name: "code",
  needsAdmin: true,
  tools: [],
};
const plain: ToolGroup = { name: "files", tools: [] };

function serve(groupDefaults: { readonly [group: string]: boolean }) {
  const app = createTestApp({
    model: new ScriptedModel([]),
    groups: [runner, plain],
    groupDefaults,
    approvalsFrom: "anyone",
    apiKeys: [
      { name: "ann", key: "a".repeat(32), rights: ["ask", "approve"] },
      { name: "root", key: "r".repeat(32), rights: ["ask", "admin"] },
    ],
  });
  return async (key: string, path: string, groups: object) => {
    const request = requestTo("POST", path, { switches: { groups } });
    request.headers.set("authorization", `Bearer ${key.repeat(32)}`);
    const response = await app.fetch(request);
    const body = (await response.json()) as {
      readonly id: string;
      readonly switches?: { readonly groups: object };
      readonly error?: { readonly code: string; readonly message: string };
    };
    return { status: response.status, body };
  };
}

test("a group that runs code is switched on only with the right admin", async () => {
  const send = serve({ code: false });
  const path = "/v1/conversations";
  const refused = await send("a", path, { code: true });
  assert.deepEqual([refused.status, refused.body.error?.code], [403, "right_missing"]);
  assert.match(refused.body.error?.message ?? "", /"code".*"admin"/s);
  const own = await send("a", path, { files: true, code: false });
  assert.equal(own.status, 200);
  const changed = await send("a", `${path}/${own.body.id}`, { files: false, code: true });
  assert.deepEqual([changed.status, changed.body.error?.code], [403, "right_missing"]);
  // The rejected request changed nothing.
  const after = await send("a", `${path}/${own.body.id}`, {});
  assert.deepEqual(after.body.switches?.groups, { files: true, code: false });
  const made = await send("r", path, { code: true });
  assert.deepEqual([made.status, made.body.switches?.groups], [200, { code: true }]);
});

test("a group that the configuration enables can be switched by each user", async () => {
  const send = serve({ code: true });
  const made = await send("a", "/v1/conversations", { code: true });
  assert.equal(made.status, 200);
});
