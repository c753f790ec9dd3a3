import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolArgs } from "../base/json.ts";
import { approvalTimeRule, executionRule, type PolicyRule, resultRule } from "./rule.ts";

const reasonOf = (rules: readonly PolicyRule[], args: ToolArgs) =>
  executionRule(rules, { toolId: "files.View", args })?.reason;

test("the narrowest rule wins: tool, group, all; then conditions; then longer patterns", () => {
  const rules: readonly PolicyRule[] = [
    { tool: "*", execution: "auto", when: { path: "docs/api/**", n: 1 }, reason: "all" },
    { tool: "files.*", execution: "ask-once", reason: "group" },
    { tool: "files.View", execution: "ask-always", reason: "tool" },
    { tool: "files.View", execution: "auto", when: { path: "docs/**" }, reason: "docs" },
    { tool: "files.View", execution: "ask-once", when: { path: "docs/api/**" }, reason: "api" },
    {
      tool: "files.View",
      execution: "auto",
      when: { path: { equals: "docs/api/a" } },
      reason: "a",
    },
    { tool: "files.View", execution: "auto", when: { path: "docs/**", n: 1 }, reason: "both" },
  ];
  assert.equal(reasonOf(rules, { path: "x" }), "tool");
  assert.equal(reasonOf(rules, { path: "docs/x" }), "docs");
  assert.equal(reasonOf(rules, { path: "docs/api/x" }), "api");
  assert.equal(reasonOf(rules, { path: "docs/api/a" }), "a");
  assert.equal(reasonOf(rules, { path: "docs/api/a", n: 1 }), "both");
  const reversed = rules.toReversed();
  assert.equal(reasonOf(reversed, { path: "docs/api/x" }), "api");
});

test("the stricter of two equally narrow rules wins, and a denial always wins", () => {
  const alike: readonly PolicyRule[] = [
    { tool: "files.*", execution: "auto", reason: "auto" },
    { tool: "files.*", execution: "ask-once", reason: "ask" },
  ];
  assert.equal(reasonOf(alike, {}), "ask");
  assert.equal(reasonOf(alike.toReversed(), {}), "ask");
  assert.equal(reasonOf([...alike, { tool: "*", execution: "deny", reason: "no" }], {}), "no");
});

test("separate rules can set a call's execution, its review and its expiry", () => {
  const rules: readonly PolicyRule[] = [
    { tool: "files.View", execution: "ask-once", reason: "execution" },
    { tool: "files.*", result: "always", reason: "result" },
    { tool: "*", approvalMs: 5_000 },
    { tool: "*", approvalMs: 1_000 },
  ];
  const call = { toolId: "files.View", args: {} };
  assert.equal(executionRule(rules, call)?.reason, "execution");
  assert.equal(resultRule(rules, call)?.reason, "result");
  assert.equal(approvalTimeRule(rules, call)?.approvalMs, 1_000);
  assert.equal(executionRule(rules, { toolId: "filesystem.View", args: {} }), undefined);
});
