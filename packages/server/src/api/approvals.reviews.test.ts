import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownApproval } from "@capstan/contract";
import { defineTool } from "@capstan/core";
import type { ToolReturn } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner, intact } from "@capstan/store/testing";
import { asking, runIn } from "../testing/run-fixtures.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";

const text = "the password is tulip";

async function reviewing(result: ToolReturn = text, name = "Secret") {
  const secret = defineTool({
    name: "Secret",
    description: "",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => result,
  });
  const store = openMemoryStore();
  const model = new ScriptedModel([{ calls: [{ name, args: { of: "ann" } }] }, "done"]);
  const app = createTestApp({
    model,
    tools: [secret, asking("Ask", () => 1)],
    store,
  });
  const body = { input: "go", tools: toyTools, background: true, approvals: "inline" };
  const response = await app.call("POST", "/v1/responses", body);
  await runIn(store, response.body.id, "requires_action");
  const { data } = intact(await store.listApprovals({ owner }));
  const path = `/v1/approvals/${data[0]!.id}`;
  return {
    ...app,
    path,
    get: async (at: string) =>
      (await (await app.fetch(requestTo("GET", at))).json()) as Record<string, unknown>,
    run: response.body.id,
    ended: async () => {
      await runIn(store, response.body.id, "completed");
      return String(
        model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.content,
      );
    },
  };
}

test("a reviewer reads a result in slices and sees the model's version; lists do not contain the result", async () => {
  const { fetch, get, path } = await reviewing();
  const answer = await fetch(requestTo("GET", `${path}?start=4&length=8`));
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const approval = (await answer.json()) as Record<string, unknown>;
  assert.equal(approval["kind"], "result");
  assert.deepEqual(approval["args"], { of: "ann" });
  assert.deepEqual(approval["result"], {
    text: "password",
    start: 4,
    total: text.length,
    shown: text,
    parts: [],
  });
  const shown = approval["shown"] as Required<ShownApproval>;
  assert.deepEqual(shown.result, [{ type: "text", text: "password" }]);
  assert.deepEqual(shown.resultForModel, [{ type: "text", text }]);
  const { data } = (await get("/v1/approvals?status=pending")) as { data: { kind: string }[] };
  assert.equal(data[0]?.kind, "result");
  assert.doesNotMatch(JSON.stringify(data), /tulip/);
});

// Contract: executor-71
test("a preview shows the result that the model would receive and leaves the review pending", async () => {
  const { call, get, path } = await reviewing();
  const preview = await call("POST", `${path}/preview`, { decision: "redact", words: ["tulip"] });
  assert.deepEqual(preview.body, {
    object: "review_preview",
    shown: "the password is [redacted]",
  });
  assert.equal((await get(path))["status"], "pending");
});

for (const [body, status, shown] of [
  [{ decision: "release" }, "released", /tulip/],
  [
    { decision: "redact", words: ["tulip", "password"] },
    "redacted",
    /^the \[redacted\] is \[redacted\]/,
  ],
  [{ decision: "replace", text: "nothing" }, "replaced", /^nothing$/],
  [{ decision: "withhold", reason: "private" }, "withheld", /withheld from you: private/],
] as const) {
  test(`a ${status} result keeps its status, and a second answer changes nothing`, async () => {
    const { call, get, path, ended } = await reviewing();
    assert.equal((await call("POST", path, body)).body.status, status);
    const again = await call("POST", path, { decision: "redact", words: ["not there"] });
    assert.deepEqual([again.status, again.body.status], [200, status]);
    assert.match(await ended(), shown);
    const after = await get(path);
    assert.equal("result" in after, false);
    assert.equal((await call("POST", `${path}/preview`, body)).status, 409);
  });
}

for (const [what, body, message] of [
  [
    "for an approval request",
    { decision: "allow" },
    /asks whether the result.*expected release, redact/,
  ],
  ["without words", { decision: "redact", words: [] }, /words/],
  ["with an empty word", { decision: "redact", words: [""] }, /words/],
  [
    "with a word that the result does not contain",
    { decision: "redact", words: ["Tulpe"] },
    /does not contain "Tulpe"/,
  ],
  ["without a text", { decision: "replace" }, /text/],
  ["without a decision", {}, /decision/],
] as const) {
  test(`an answer ${what} is rejected with the reason, and the review stays pending`, async () => {
    const { call, get, path } = await reviewing();
    for (const at of [path, `${path}/preview`]) {
      const answer = await call("POST", at, body);
      assert.equal(answer.status, 400);
      assert.match(answer.body.error?.message ?? "", message);
    }
    assert.equal((await get(path))["status"], "pending");
  });
}

test("an approval request rejects the answer of a result review and has no preview", async () => {
  const { call, path } = await reviewing("", "Ask");
  const answer = await call("POST", path, { decision: "release" });
  assert.equal(answer.status, 400);
  assert.match(
    answer.body.error?.message ?? "",
    /whether its call may run; expected allow, refuse/,
  );
  assert.equal((await call("POST", `${path}/preview`, { decision: "release" })).status, 400);
});

test("a client of the Responses API cannot answer a review by naming its approval", async () => {
  const { call, path, run } = await reviewing();
  const id = path.split("/").at(-1);
  const input = [
    { type: "mcp_approval_response", approval_request_id: `mcpr_${id}`, approve: true },
  ];
  const answer = await call("POST", "/v1/responses", {
    input,
    tools: toyTools,
    previous_response_id: run,
  });
  assert.equal(answer.status, 400);
  assert.match(answer.body.error?.message ?? "", /not found/);
});

test("a response waits for a review whatever its approvals setting, then contains the released result", async () => {
  const secret = defineTool({
    name: "Secret",
    description: "",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => text,
  });
  const store = openMemoryStore();
  const model = new ScriptedModel([{ calls: [{ name: "Secret" }] }, "done"]);
  const { call, services } = createTestApp({ model, tools: [secret], store });
  const response = call("POST", "/v1/responses", { input: "go", tools: toyTools });
  let waiting = intact(await store.listApprovals({ owner }));
  while (waiting.data.length === 0) {
    await new Promise(setImmediate);
    waiting = intact(await store.listApprovals({ owner }));
  }
  const { id, runId } = waiting.data[0]!;
  await runIn(services.runs.store, runId, "requires_action");
  const meanwhile = await call("GET", `/v1/responses/${runId}`);
  assert.equal(meanwhile.body.status, "in_progress");
  assert.doesNotMatch(JSON.stringify(meanwhile.body), /tulip/);
  await call("POST", `/v1/approvals/${id}`, { decision: "redact", words: ["tulip"] });
  const { body } = await response;
  assert.equal(body.status, "completed");
  const made = body.output.find(({ type }) => type === "mcp_call");
  assert.match(JSON.stringify(made), /the password is \[redacted\]/);
  assert.doesNotMatch(JSON.stringify(body), /tulip/);
});
