import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListView, UsageView } from "@capstan/contract";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

const priced = Object.assign(
  new ScriptedModel(
    [
      { text: "A", usage: { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200 } },
      { text: "B", usage: { inputTokens: 1_000, outputTokens: 100 } },
    ],
    { id: "test/priced" },
  ),
  { prices: { input: 2, output: 10, cachedInput: 1 } },
);

const keys = [
  { name: "ann", key: "a".repeat(20) },
  { name: "bob", key: "b".repeat(20) },
];

test("usage lists the tokens and the cost of a caller's own runs", async () => {
  const app = createTestApp({ model: priced, apiKeys: keys });
  const as = async (key: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = new Request(`http://127.0.0.1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await app.fetch(request);
    return { status: response.status, body: (await response.json()) as ListView<UsageView> };
  };
  const [ann = "", bob = ""] = keys.map(({ key }) => key);
  for (const input of ["one", "two"])
    assert.equal((await as(ann, "/v1/responses", { model: "test/priced", input })).status, 200);
  const { data } = (await as(ann, "/v1/usage?days=2")).body;
  assert.equal(data.length, 1);
  const [row] = data;
  assert.deepEqual(
    [row?.model, row?.runs, row?.input_tokens, row?.cached_input_tokens, row?.output_tokens],
    ["test/priced", 2, 2_000, 400, 300],
  );
  // 1,600 tokens at 2, 400 at 1 and 300 at 10, for a million.
  assert.equal(row?.cost, (1_600 * 2 + 400 + 3_000) / 1_000_000);
  assert.match(row?.day ?? "", /^\d{4}-\d\d-\d\d$/);
  assert.deepEqual((await as(bob, "/v1/usage")).body.data, []);
  for (const query of ["days=0", "days=400", "days=x", "utc_offset=900", "utc_offset=0.5"])
    assert.equal((await as(ann, `/v1/usage?${query}`)).status, 400, query);
});

test("a model without prices has no cost", async () => {
  const model = new ScriptedModel(["A"], { id: "test/free" });
  const { call } = createTestApp({ model });
  await call("POST", "/v1/responses", { model: "test/free", input: "one" });
  const { body } = await call("GET", "/v1/usage");
  const [row] = body.data as unknown as readonly UsageView[];
  assert.deepEqual([row?.model, row?.cost], ["test/free", null]);
});
