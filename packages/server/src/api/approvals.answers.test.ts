import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecutionApprovalView } from "@capstan/contract";
import type { Tool } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { asking, runIn } from "../testing/run-fixtures.ts";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";

/** An app with a run that waits for an answer about `Ask({ path })`. */
async function waiting(more: Partial<Tool> = {}, path = "notes/a") {
  const store = openMemoryStore();
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Ask", args: { path } }] }, "done"]),
    tools: [{ ...asking("Ask", () => "made"), ...more }],
    store,
  });
  const { body } = await app.call("POST", "/v1/responses", {
    input: "go",
    tools: toyTools,
    background: true,
    approvals: "inline",
  });
  await runIn(store, body.id, "requires_action");
  const { data } = await store.listApprovals({ owner, runId: body.id });
  const id = data[0]!.id;
  return { ...app, store, runId: body.id, path: `/v1/approvals/${id}`, id };
}

test("the content that an approval covers is read in slices, unless it changed", async () => {
  const store = openMemoryStore();
  const { call } = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Ask", args: { path: "a" } }] }, "done"]),
    tools: [
      {
        ...asking("Ask", () => "made"),
        permission: { executionPolicy: "ask-always", readsVariables: () => ["CODE"] },
      },
    ],
    store,
  });
  const code = `${"# harmless\n".repeat(8_000)}steal()`;
  const { id: conversation } = (await call("POST", "/v1/conversations", {})).body;
  const variable = `/v1/conversations/${conversation}/variables/CODE`;
  await call("PUT", variable, { text: code });
  const { body } = await call("POST", "/v1/responses", {
    input: "go",
    conversation,
    tools: toyTools,
    background: true,
    approvals: "inline",
  });
  await runIn(store, body.id, "requires_action");
  const [{ id } = { id: "" }] = (await store.listApprovals({ owner, runId: body.id })).data;
  const read = async (query: string) => {
    const found = await call("GET", `/v1/approvals/${id}${query}`);
    const { variables = [] } = found.body as unknown as ExecutionApprovalView;
    return { status: found.status, error: found.body.error, variable: variables[0] };
  };
  const { variable: shown } = await read("");
  assert.equal(shown?.length, code.length);
  const start = shown.text.length;
  assert.ok(start < code.length);
  const first = await read(`?variable=CODE&start=${start}&length=1000`);
  assert.equal(first.variable?.text, code.slice(start, start + 1_000));
  assert.equal(first.variable.digest, shown.digest);
  const rest = await read(`?variable=CODE&start=${start + 1_000}&length=1000000`);
  assert.equal(shown.text + first.variable.text + (rest.variable?.text ?? ""), code);
  assert.equal((await read("?variable=OTHER")).status, 404);
  await call("PUT", variable, { text: "changed" });
  const changed = await read(`?variable=CODE&start=${start}`);
  assert.equal(changed.status, 409);
  assert.match(changed.error?.message ?? "", /CODE" changed after the approval/);
});

const wrong: readonly [answer: object, message: RegExp][] = [
  [
    { scope: "session", arguments: { path: "b" } },
    /^scope: changed arguments apply only to this call/,
  ],
  [{ scope: "session", expiresAt: 1 }, /^expiresAt: expected a future time/],
  [{ scope: "always", covers: { type: "all" } }, /^covers.type: expected offer/],
  [
    { scope: "always", covers: { type: "pattern", when: { path: { pth: 1 } } } },
    /^covers.when.path.pth: is not a known field/,
  ],
  [
    { scope: "always", covers: { type: "pattern", when: { path: "src/**" } } },
    /^covers.when: this pattern does not cover/,
  ],
  [{ covers: { type: "tool" } }, /^covers: this needs scope session or always/],
  [{ arguments: "no" }, /arguments/],
  [
    { cover: { type: "tool" } },
    /unknown cover \(did you mean covers\?\); "allow" takes decision, scope/,
  ],
  [{ args: { path: "b" } }, /unknown args/],
  [{ decision: "refuse", scope: "always" }, /unknown scope; "refuse" takes decision, reason, by/],
];
for (const [answer, message] of wrong)
  test(`the answer ${JSON.stringify(answer)} is rejected, and the approval stays pending`, async () => {
    const { call, path, store, id } = await waiting();
    const { status, body } = await call("POST", path, { decision: "allow", ...answer });
    assert.equal(status, 400);
    assert.match(body.error?.message ?? "", message);
    assert.match(body.error?.param ?? "", /^[\w.]+$/, "the field, not a sentence");
    assert.equal((await store.getApproval({ owner, id }))?.status, "pending");
    assert.deepEqual((await store.listGrants({ owner })).data, []);
  });

test("an answer with a pattern and an expiry time is listed with both", async () => {
  const { call, path, store, runId } = await waiting();
  const covers = { type: "pattern", when: { path: "notes/**" } };
  const expiresAt = Date.now() + 60_000;
  await call("POST", path, { decision: "allow", scope: "session", covers, expiresAt });
  await runIn(store, runId, "completed");
  const { data } = (await call("GET", "/v1/grants")).body as unknown as {
    readonly data: readonly object[];
  };
  const [{ title, match, grantedBy, expiresAt: until }] = data as [Record<string, unknown>];
  assert.deepEqual(
    { title, match, grantedBy, until },
    {
      title: "Ask where path matches notes/**",
      match: { type: "pattern", when: { path: "notes/**" } },
      grantedBy: owner,
      until: expiresAt,
    },
  );
});

test("a denial by the system names no user as its author, and the model reads its reason", async () => {
  for (const [by, words] of [
    ["system", /This call is not allowed: nobody is there/],
    ["person", /The user denied this call: nobody is there/],
  ] as const) {
    const { call, path, store, runId } = await waiting();
    const { status } = await call("POST", path, {
      decision: "refuse",
      reason: "nobody is there",
      by,
    });
    assert.equal(status, 200);
    await runIn(store, runId, "completed");
    const [{ call: record } = assert.fail("no call")] =
      (await store.readCalls({ owner, runId })) ?? [];
    assert.match(record.result?.finalText ?? "", words);
  }
});

// Contract: executor-97
test("an answer for more than one call of a tool that is not read-only states which calls it covers", async () => {
  const answers: readonly [answer: object, isTaken: boolean][] = [
    [{ scope: "session" }, false],
    [{ scope: "always", covers: null }, false],
    [{ scope: "session", covers: { type: "offer" } }, false],
    [{ scope: "session", covers: { type: "tool" } }, true],
    [{ scope: "session", covers: { type: "arguments" } }, true],
    [{ scope: "once" }, true],
  ];
  for (const [answer, isTaken] of answers) {
    const { call, path, store, id } = await waiting({ effects: "write" });
    const { status, body } = await call("POST", path, { decision: "allow", ...answer });
    assert.equal(status, isTaken ? 200 : 400, JSON.stringify(answer));
    if (isTaken) continue;
    assert.equal(body.error?.param, "covers");
    assert.match(body.error?.message ?? "", /^covers: Ask may write, send or run code/);
    assert.equal((await store.getApproval({ owner, id }))?.status, "pending");
  }
  const grantScope = () => ({ title: "notes", when: { path: "notes/**" } });
  const narrow = { effects: "write", permission: { grantScope } } as const;
  const { call, path } = await waiting(narrow);
  const offer = { decision: "allow", scope: "session", covers: { type: "offer" } };
  assert.equal((await call("POST", path, offer)).status, 200);
});

// Contract: executor-96
test("an approval includes its texts in visible form; a list does not", async () => {
  const { call, path } = await waiting({}, "a\u202eb");
  const { body } = await call("GET", path);
  const { shown } = body as unknown as ExecutionApprovalView;
  assert.deepEqual(shown?.toolName, [{ type: "text", text: "Ask" }]);
  const [text] = shown?.arguments ?? [];
  assert.deepEqual(text?.name, [{ type: "text", text: "path" }]);
  assert.deepEqual(text?.value[1], {
    type: "mark",
    text: "⟨U+202E⟩",
    of: "\u202e",
    meaning: "changes the direction of the text",
  });
  const long = await waiting({}, "\u202e".repeat(60_000));
  const { body: whole } = await long.call("GET", long.path);
  assert.equal("shown" in whole, false, "a mark is many times longer than its character");
  const list = await call("GET", "/v1/approvals");
  assert.doesNotMatch(JSON.stringify(list.body), /"shown"/);
});

test("an answer that both denies and allows is rejected, and the approval stays pending", async () => {
  const { fetch, path, store, id } = await waiting();
  const request = new Request(`http://127.0.0.1${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"decision": "refuse", "decision": "allow"}',
  });
  const response = await fetch(request);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /has the key .*decision.* twice/);
  assert.equal((await store.getApproval({ owner, id }))?.status, "pending");
});

test("the arguments of a waiting call are in its approval, not in the stored result of its run", async () => {
  const { store, runId, call, id } = await waiting({}, "p".repeat(5_000));
  const run = await store.getRun({ owner, id: runId });
  assert.ok(run !== undefined && JSON.stringify(run.result?.waiting).length < 500);
  const { body } = await call("GET", `/v1/approvals/${id}`);
  assert.equal((body as unknown as ExecutionApprovalView).args["path"], "p".repeat(5_000));
});
