import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, type Tool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { grantOf, intact, owner } from "@capstan/store/testing";
import type { AppOptions } from "../app.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";
import { asking, runIn } from "../testing/run-fixtures.ts";
import { routeRights } from "./rights.ts";

/** Keys of one user: for an agent, and for the user. */
const apiKeys: AppOptions["apiKeys"] = [
  { name: owner, key: "agent" },
  { name: owner, key: "user", rights: ["ask", "approve"] },
  { name: owner, key: "admin", rights: ["admin"] },
];

type Ask = Awaited<ReturnType<typeof testApp>>["ask"];

function testApp({
  steps = [],
  tools = [],
  ...options
}: {
  readonly steps?: ConstructorParameters<typeof ScriptedModel>[0];
  readonly tools?: readonly Tool[];
} & Pick<Parameters<typeof createTestApp>[0], "approvalsFrom" | "apiKeys"> = {}) {
  const store = openMemoryStore();
  const app = createTestApp({
    model: new ScriptedModel(steps),
    tools,
    store,
    apiKeys,
    ...options,
  });
  async function ask(key: string, method: string, path: string, body?: object) {
    const request = requestTo(method, path, body);
    if (key !== "") request.headers.set("Authorization", `Bearer ${key}`);
    const response = await app.fetch(request);
    const text = await response.text();
    return { status: response.status, text, body: text === "" ? {} : JSON.parse(text) };
  }
  return { ...app, store, ask };
}

/** A run that waits for an answer about a call. */
async function asked(more: object = {}, tools?: readonly Tool[]) {
  let ran = 0;
  const app = testApp({
    steps: [{ calls: [{ name: tools?.[0]?.definition.function.name ?? "Ask" }] }, "done", "done"],
    tools: tools ?? [asking("Ask", () => ++ran)],
  });
  const body = { input: "go", tools: toyTools, background: true, ...more };
  const { id } = (await app.ask("agent", "POST", "/v1/responses", body)).body;
  await runIn(app.store, id, "approvals" in more ? "requires_action" : "completed");
  const { data } = intact(await app.store.listApprovals({ owner }));
  const approval = data[0]?.id ?? assert.fail("nothing was asked");
  return { ...app, id, approval, path: `/v1/approvals/${approval}`, ran: () => ran };
}

const inline = { approvals: "inline" };

function assertMissing(answer: Awaited<ReturnType<Ask>>, right: string) {
  assert.equal(answer.status, 403, answer.text);
  assert.equal(answer.body.error.code, "right_missing");
  assert.match(answer.body.error.message, new RegExp(`"${right}"`));
  if (right !== "ask") assert.match(answer.body.error.message, /capstan pair/);
}

test("the table of rights lists every route exactly once and nothing else", () => {
  const served = testApp().routes.filter(({ method }) => method !== "ALL");
  const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path}`;
  assert.deepEqual(routeRights.map(nameOf).toSorted(), served.map(nameOf).toSorted());
});

test("every route rejects requests without a key, and keys without its right", async () => {
  const { ask } = testApp();
  for (const { method, path, needs } of routeRights) {
    if (needs === "none") continue;
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    assert.equal((await ask("", method, path, body)).status, 401, path);
    const without = needs === "ask" ? "admin" : "agent";
    assertMissing(await ask(without, method, path, body), needs);
  }
});

test("a key without the right approve cannot allow a call by any route", async () => {
  const { ask, path, id, approval, store, ran } = await asked();
  assertMissing(await ask("agent", "POST", path, { decision: "allow" }), "approve");
  const response = {
    type: "mcp_approval_response",
    approval_request_id: `mcpr_${approval}`,
    approve: true,
  };
  const request = {
    type: "mcp_approval_request",
    id: "x",
    server_label: "g",
    name: "Ask",
    arguments: "{}",
  };
  for (const input of [[response], [response, request]]) {
    const body = { input, previous_response_id: id, tools: toyTools };
    assertMissing(await ask("agent", "POST", "/v1/responses", body), "approve");
  }
  assert.equal((await store.searchRuns({ owner, limit: 10 })).data.length, 1);
  assert.equal((await ask("agent", "GET", path)).body.status, "pending");
  assert.equal(ran(), 0);
  const body = { input: [response], previous_response_id: id, tools: toyTools };
  assert.equal((await ask("user", "POST", "/v1/responses", body)).status, 200);
  assert.equal(ran(), 1);
});

test("a key without the right approve cannot disable a tool's approval requirement", async () => {
  const { ask, store } = testApp();
  for (const setting of ["never", { never: { tool_names: ["Ask"] } }]) {
    const tools = [{ ...toyTools[0], require_approval: setting }];
    assertMissing(await ask("agent", "POST", "/v1/responses", { input: "go", tools }), "approve");
  }
  assert.deepEqual((await store.searchRuns({ owner, limit: 10 })).data, []);
});

test("a key without approve cannot retry a run of another key that loosens approvals", async () => {
  const failure = { error: new Error("overloaded") };
  const app = testApp({ steps: [failure, failure, "done"] });
  const start = async (tools: readonly object[]) => {
    const body = { input: "go", tools, background: true };
    const { id } = (await app.ask("user", "POST", "/v1/responses", body)).body;
    await runIn(app.store, id, "failed");
    return `/v1/runs/${id}/retry`;
  };
  const loose = await start(toyTools.map((tool) => ({ ...tool, require_approval: "never" })));
  const refused = await app.ask("agent", "POST", loose, {});
  assert.equal(refused.status, 403);
  assert.match(refused.body.error.message, /require_approval.*"approve"/);
  const plain = await start(toyTools);
  assert.equal((await app.ask("agent", "POST", plain, {})).status, 200);
});

test("a key without the right approve can deny its own approval request", async () => {
  const { ask, path, ran } = await asked(inline);
  assert.equal((await ask("agent", "POST", path, { decision: "refuse" })).body.status, "refused");
  assert.equal(ran(), 0);
});

test("a key without the right approve can neither read nor release a result that waits for review", async () => {
  const secret = defineTool({
    name: "Secret",
    description: "",
    permission: { executionPolicy: "auto", resultApprovalPolicy: "always" },
    execute: () => "tulip",
  });
  const { ask, path } = await asked(inline, [secret]);
  assert.doesNotMatch((await ask("agent", "GET", path)).text, /tulip/);
  assert.match((await ask("user", "GET", path)).text, /tulip/);
  assertMissing(await ask("agent", "POST", `${path}/preview`, { decision: "release" }), "approve");
  for (const answer of [
    { decision: "release" },
    { decision: "redact", words: ["tulip"] },
    { decision: "replace", text: "rose" },
  ])
    assertMissing(await ask("agent", "POST", path, answer), "approve");
  const withheld = await ask("agent", "POST", path, { decision: "withhold" });
  assert.equal(withheld.body.status, "withheld");
});

test("a key without the right approve can only make rules stricter", async () => {
  const { ask } = testApp({ tools: [asking("Ask", () => 1)] });
  const put = (key: string, change: object) =>
    ask(key, "PUT", "/v1/overrides", { tool: "g.Ask", ...change });
  for (const change of [
    { execution: "auto" },
    { execution: "ask-once" },
    { result: "never" },
    { approvalMs: 1_000 },
    { execution: null },
  ])
    assertMissing(await put("agent", change), "approve");
  assert.equal((await put("agent", { execution: "ask-always", reason: "careful" })).status, 200);
  assertMissing(await put("agent", { execution: "ask-always", reason: "Allow this." }), "approve");
  assert.equal((await put("agent", { result: "always" })).status, 200);
  const { id } = (await put("agent", { execution: "deny" })).body;
  assertMissing(await put("agent", { execution: "ask-always" }), "approve");
  assertMissing(await ask("agent", "DELETE", `/v1/overrides/${id}`), "approve");
  assert.equal((await ask("user", "DELETE", `/v1/overrides/${id}`)).status, 200);
});

test("a key without the right approve can revoke permissions but not denials", async () => {
  const { ask, store } = testApp();
  const granted = (id: string, verdict: "allow" | "refuse") =>
    ({
      type: "create-grant",
      owner,
      sessionId: null,
      grant: grantOf(id, { verdict }),
    }) as const;
  await store.write([granted("yes", "allow"), granted("no", "refuse")]);
  assertMissing(await ask("agent", "DELETE", "/v1/grants/no"), "approve");
  assert.equal((await ask("agent", "DELETE", "/v1/grants/yes")).status, 200);
  assert.equal((await ask("agent", "DELETE", "/v1/grants/none")).status, 404);
  assert.equal((await ask("user", "DELETE", "/v1/grants/no")).status, 200);
});

// Contract: scripts-74
test("a key without the right approve cannot approve a script", async () => {
  const { ask } = testApp();
  const approve = { content_hash: "1" };
  assertMissing(await ask("admin", "POST", "/v1/scripts/s/approve", approve), "approve");
});

test("a key without the right approve cannot run a call again", async () => {
  const { ask, id } = await asked(inline);
  const outcome = { outcome: "run_again" };
  const path = `/v1/runs/${id}/calls/call/outcome`;
  assertMissing(await ask("agent", "POST", path, outcome), "approve");
  assert.equal((await ask("user", "POST", path, outcome)).status, 404);
});

test("with approvals.from anyone, every key and callers without a key can approve", async () => {
  const tools = [asking("Ask", () => 1)];
  const rule = { tool: "g.Ask", execution: "auto" };
  const keyed = testApp({ tools, approvalsFrom: "anyone" });
  assert.equal((await keyed.ask("agent", "PUT", "/v1/overrides", rule)).status, 200);
  assertMissing(await keyed.ask("agent", "GET", "/v1/scripts"), "admin");
  const open = testApp({ tools, approvalsFrom: "anyone", apiKeys: [] });
  assert.equal((await open.ask("", "PUT", "/v1/overrides", rule)).status, 200);
  const { body } = await open.ask("", "GET", "/v1/capstan");
  assert.deepEqual([body.approvals_from, body.rights], ["anyone", ["ask", "approve", "admin"]]);
});

test("if only users approve, a request without a key has only the right ask", async () => {
  const { ask } = testApp({ approvalsFrom: "people", apiKeys: [] });
  const { body } = await ask("", "GET", "/v1/capstan");
  assert.deepEqual([body.approvals_from, body.rights], ["people", ["ask"]]);
  const deny = { tool: "*", execution: "deny" };
  assert.equal((await ask("", "PUT", "/v1/overrides", deny)).status, 200);
  assertMissing(await ask("", "PUT", "/v1/overrides", { ...deny, execution: "auto" }), "approve");
  assertMissing(await ask("", "GET", "/v1/scripts"), "admin");
});

for (const order of [
  [true, false],
  [false, true],
  [true, false, true],
  [false, true, true],
])
  test(`of the answers ${order.join(", ")} to one approval in one request, the denial counts`, async () => {
    const { ask, id, approval, ran, path } = await asked();
    const input = order.map((approve) => ({
      type: "mcp_approval_response",
      approval_request_id: `mcpr_${approval}`,
      approve,
    }));
    const body = { input, previous_response_id: id, tools: toyTools };
    assert.equal((await ask("user", "POST", "/v1/responses", body)).status, 200);
    assert.equal(ran(), 0);
    assert.equal((await ask("user", "GET", path)).body.status, "refused");
  });

test("a denial before a model's output overrides an answer after it", async () => {
  const { ask, id, approval, ran } = await asked();
  const answer = (approve: boolean) => ({
    type: "mcp_approval_response",
    approval_request_id: `mcpr_${approval}`,
    approve,
  });
  const input = [answer(false), { role: "assistant", content: "Done." }, answer(true)];
  const body = { input, previous_response_id: id, tools: toyTools };
  assert.equal((await ask("user", "POST", "/v1/responses", body)).status, 200);
  assert.equal(ran(), 0);
});

test("of concurrent requests that answer one approval, the first counts", async () => {
  const { ask, path, ran, id, store } = await asked(inline);
  const answers = await Promise.all(
    ["refuse", "allow", "allow"].map((decision) => ask("user", "POST", path, { decision })),
  );
  assert.deepEqual(
    answers.map(({ body }) => body.status),
    ["refused", "refused", "refused"],
  );
  await runIn(store, id, "completed");
  assert.equal(ran(), 0);
});
