import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PolicyRule } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openStore } from "@capstan/store";
import { Overrides } from "../runs/active/run-permissions.ts";
import { tool } from "../testing/run-fixtures.ts";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";

interface Rule {
  readonly id: string;
  readonly object: string;
  readonly tool: string;
  readonly execution?: string;
  readonly result?: string;
  readonly effect?: string;
  readonly notes?: readonly string[];
}

function createOverriding(
  answers: ConstructorParameters<typeof ScriptedModel>[0] = [],
  rules: readonly PolicyRule[] = [],
) {
  let ran = 0;
  const app = createTestApp({
    rules,
    model: new ScriptedModel(answers),
    tools: [tool("Read", () => ++ran), tool("Write", () => ++ran)],
  });
  const put = async (body: object) => {
    const answer = await app.call("PUT", "/v1/overrides", body);
    return {
      status: answer.status,
      rule: answer.body as unknown as Rule,
      error: answer.body.error,
    };
  };
  const list = async () =>
    (await app.call("GET", "/v1/overrides")).body.data as unknown as readonly Rule[];
  return { ...app, put, list, ran: () => ran };
}

test("changing one field of a rule keeps the other fields, and a reset field stays reset", async () => {
  const { put, list } = createOverriding();
  const first = await put({ tool: "g.Read", execution: "ask-always", reason: "mine" });
  assert.deepEqual([first.status, first.rule.execution], [200, "ask-always"]);
  const second = await put({ tool: "g.Read", result: "always" });
  assert.equal(second.rule.id, first.rule.id);
  assert.deepEqual([second.rule.execution, second.rule.result], ["ask-always", "always"]);
  await put({ tool: "g.Read", execution: null });
  const [left, ...more] = await list();
  assert.deepEqual([left?.execution, left?.result, more.length], [undefined, "always", 0]);
  const gone = await put({ tool: "g.Read", result: null });
  assert.equal(gone.rule.object, "override.deleted");
  assert.deepEqual(await list(), []);
});

test("rules of the same tool with other arguments are other rules", async () => {
  const { put, list } = createOverriding();
  await put({ tool: "g.Read", execution: "auto" });
  await put({ tool: "g.Read", when: { path: "secrets/**" }, execution: "deny" });
  await put({ tool: "g.Read", when: { path: "secrets/**" }, reason: "private" });
  assert.equal((await list()).length, 2);
});

test("a rule is reset by its id, once", async () => {
  const { put, list, call } = createOverriding();
  const { rule } = await put({ tool: "*", execution: "ask-always" });
  assert.equal((await call("DELETE", `/v1/overrides/${rule.id}`)).status, 200);
  assert.equal((await call("DELETE", `/v1/overrides/${rule.id}`)).status, 404);
  assert.deepEqual(await list(), []);
});

const wrong: readonly [body: object, message: RegExp][] = [
  [
    { tool: "g.Raed", execution: "deny" },
    /^tool: there is no tool or group "g.Raed" here. Did you mean g.Read\?/,
  ],
  [{ tool: "g.Read" }, /expected execution, result or approvalMs/],
  [
    { tool: "g.Read", executoin: "deny" },
    /^executoin: is not a known field. Did you mean execution\?/,
  ],
  [{ tool: "g.Read", executoin: null }, /^executoin: is not a known field/],
  [{ tool: "g.Read", execution: "never" }, /^execution: expected "auto"/],
  [
    { tool: "g.Read", execution: "deny", when: { path: { pth: 1 } } },
    /^when.path.pth: is not a known/,
  ],
  [[], /The body is not an object/],
];
for (const [body, message] of wrong)
  test(`the rule ${JSON.stringify(body)} is rejected, and nothing is stored`, async () => {
    const { put, list } = createOverriding();
    const { status, error } = await put(body);
    assert.equal(status, 400);
    assert.match(error?.message ?? "", message);
    assert.deepEqual(await list(), []);
  });

test("a rule that an administrator's rule overrides is stored, and responses say that it has no effect", async () => {
  const { put, list } = createOverriding(
    [],
    [
      { tool: "g.*", execution: "ask-always", reason: "the auditors want it" },
      { tool: "g.Write", when: { path: "secrets/**" }, result: "always" },
    ],
  );
  const { status, rule } = await put({ tool: "g.Read", execution: "auto" });
  assert.deepEqual([status, rule.effect], [200, "none"]);
  const why =
    "It has no effect: the administrator's rule for g.* requires approval every time: the auditors want it";
  assert.deepEqual(rule.notes, [why]);
  const [listed] = await list();
  assert.deepEqual([listed?.effect, listed?.notes], ["none", [why]]);

  const partly = await put({ tool: "g.Write", execution: "deny", result: "never" });
  assert.equal(partly.rule.effect, "partial");
  assert.deepEqual(partly.rule.notes, [
    "Its `result` has no effect for some calls: the administrator's rule for g.Write with certain arguments has results reviewed.",
  ]);
  const stricter = await put({ tool: "g.Read", execution: "deny" });
  assert.deepEqual([stricter.rule.effect, stricter.rule.notes], ["full", []]);
});

test("a rule for a removed tool has no effect, and responses say so", async () => {
  const { services, list } = createOverriding();
  await services.runs.overrides.write({
    type: "change-override",
    owner: "local",
    tool: "old.Tool",
    change: { execution: "deny" },
  });
  const [rule] = await list();
  assert.deepEqual(
    [rule?.effect, rule?.notes],
    ["none", ["It has no effect: there is no old.Tool here."]],
  );
});

test("a rule applies from the next call, also in runs in progress", async () => {
  const hold = Promise.withResolvers<{ calls: { name: string }[] }>();
  const began = Promise.withResolvers<void>();
  const { put, call, ran } = createOverriding([
    { calls: [{ name: "Read" }] },
    () => (began.resolve(), hold.promise),
    "done",
  ]);
  const response = call("POST", "/v1/responses", { input: "go", tools: toyTools });
  await began.promise;
  assert.equal(ran(), 1);
  await put({ tool: "g.*", execution: "deny", reason: "enough" });
  hold.resolve({ calls: [{ name: "Write" }] });
  await response;
  assert.equal(ran(), 1);
});

test("rules belong to one user and survive a restart of the server", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-overrides-"));
  try {
    const first = await openStore({ dataDir });
    const rule = { type: "change-override", owner: "ann", tool: "g.Read" } as const;
    const overrides = new Overrides(first);
    const made = await overrides.write({
      ...rule,
      change: { execution: "deny", result: "always" },
    });
    await overrides.write({ ...rule, change: { result: null } });
    const id = made.status === "updated" ? made.id : "";
    const stolen = await overrides.write({ type: "reset-override", owner: "bob", id });
    assert.equal(stolen.status, "not_found");
    await first.close();

    const second = await openStore({ dataDir });
    const again = new Overrides(second);
    assert.deepEqual((await again.of("ann"))(), [{ tool: "g.Read", execution: "deny" }]);
    assert.deepEqual((await again.of("bob"))(), []);
    await second.close();
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
