import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverrideChange, OverrideView } from "@capstan/contract";
import { plainStyle } from "../terminal/style.ts";
import { applyRulesAction } from "./rules.ts";

const rule: OverrideView = {
  object: "override",
  id: "override_1",
  tool: "files.View",
  title: "files.View where path matches \u001b[2Jsecrets/**",
  when: { path: "secrets/**" },
  execution: "auto",
  result: "always",
  approvalMs: 600_000,
  reason: "mine",
  effect: "none",
  notes: ["It has no effect: the administrator's rule for files.* requires approval every time."],
  createdAt: 0,
  updatedAt: 0,
};

function session(rules: readonly OverrideView[]) {
  const changes: OverrideChange[] = [];
  const removed: string[] = [];
  const gone = (id: string) => ({ id, object: "override.deleted", deleted: true }) as const;
  const client = {
    rules: () => Promise.resolve(rules),
    setRule: (change: OverrideChange) => {
      changes.push(change);
      return Promise.resolve(change.execution === null ? gone("override_1") : rule);
    },
    removeRule: (id: string) => Promise.resolve((removed.push(id), gone(id))),
  };
  const run = (action: Parameters<typeof applyRulesAction>[0], asJson = false) =>
    applyRulesAction(action, { client, style: plainStyle, asJson });
  return { run, changes, removed };
}

test("rules are listed with the calls that they cover, their fields and the fields without effect", async () => {
  const text = await session([rule]).run({ type: "list" });
  assert.equal(
    text,
    `files.View where path matches ⟨U+001B⟩[2Jsecrets/**  auto, result reviewed: always, requests expire after 10 min, reason: mine
  It has no effect: the administrator's rule for files.* requires approval every time.
  override_1
`,
  );
  assert.match(await session([]).run({ type: "list" }), /no rules of your own/);
});

test("rules are printed as JSON on request", async () => {
  assert.deepEqual(JSON.parse(await session([rule]).run({ type: "list" }, true)), [rule]);
});

test("a rule that was set is shown in its new form, with its note", async () => {
  const { run, changes } = session([]);
  const change = { tool: "files.View", execution: "auto" } as const;
  assert.match(await run({ type: "set", change }), /auto, result.*\n {2}It has no effect/);
  assert.deepEqual(changes, [change]);
  const last = { tool: "files.View", execution: null };
  assert.match(
    await run({ type: "set", change: last }),
    /has no fields any more, so it was removed/,
  );
});

test("a rule is removed by its id, or by its tool if it is the tool's only rule", async () => {
  for (const said of ["override_1", "files.View"]) {
    const { run, removed } = session([rule]);
    assert.match(await run({ type: "remove", rule: said }), /^Removed: files\.View where/);
    assert.deepEqual(removed, ["override_1"]);
  }
  const two = session([rule, { ...rule, id: "override_2", title: "files.View" }]);
  await assert.rejects(
    two.run({ type: "remove", rule: "files.View" }),
    /has 2 rules.*\n.*override_1/,
  );
  await assert.rejects(two.run({ type: "remove", rule: "web.Get" }), /You have no rule web\.Get/);
  assert.deepEqual(two.removed, []);
});
