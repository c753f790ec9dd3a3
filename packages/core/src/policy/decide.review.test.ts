import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import { ToolRegistry } from "../tool/registry.ts";
import type { ResultApprovalPolicy } from "../tool/tool.ts";
import { reviewReason, type ReviewOptions } from "./decide.ts";

const due = (own: ResultApprovalPolicy, policy: Partial<ReviewOptions> = {}): boolean =>
  reasonOf(own, policy) !== undefined;

function reasonOf(own: ResultApprovalPolicy, policy: Partial<ReviewOptions> = {}) {
  const registry = new ToolRegistry();
  const permission = { resultApprovalPolicy: own };
  const tool = defineTool({ name: "T", description: "", permission, execute: () => 1 });
  registry.register({ name: "g", tools: [tool] });
  return reviewReason({
    registered: registry.tool("g.T")!,
    args: {},
    isError: false,
    rules: [],
    overrides: [],
    checkToolResults: true,
    ...policy,
  });
}

// Contract: executor-108, executor-232
test("checkToolResults: false overrides the tool's own policy, but no rule", () => {
  const lifted = { checkToolResults: false };
  assert.equal(due("always"), true);
  assert.equal(due("always", lifted), false);
  assert.equal(due("never", { ...lifted, rules: [{ tool: "*", result: "always" }] }), true);
  assert.equal(due("never", { ...lifted, overrides: [{ tool: "*", result: "always" }] }), true);
});

// Contract: executor-7, executor-208
test("on-error requires reviews only of failures", () => {
  assert.equal(due("on-error"), false);
  assert.equal(due("on-error", { isError: true }), true);
});

test("a rule with conditions requires reviews of matching calls", () => {
  const rules = [{ tool: "g.*", when: { path: "secrets/**" }, result: "always" }] as const;
  assert.equal(due("never", { rules, args: { path: "./secrets/a" } }), true);
  assert.equal(due("never", { rules, args: { path: "docs/a" } }), false);
});

test("a user's override requires more reviews than the administrator's rule, never fewer", () => {
  const always = [{ tool: "*", result: "always" }] as const;
  const never = [{ tool: "g.T", result: "never" }] as const;
  assert.equal(due("never", { rules: never, overrides: always }), true);
  assert.equal(due("always", { rules: always, overrides: never }), true);
  assert.equal(due("always", { overrides: never }), false);
});

test("the request names the source of the requirement, and the reason", () => {
  const rule = { tool: "*", result: "always", reason: "these are other people's mails" } as const;
  assert.equal(reasonOf("always"), "This tool requires a user to review its results first.");
  assert.equal(
    reasonOf("never", { rules: [rule] }),
    "An administrator's rule requires a user to review its results first: these are other people's mails",
  );
  assert.equal(
    reasonOf("never", { overrides: [{ tool: "*", result: "on-error" }], isError: true }),
    "Your own rule requires a user to review its failures first.",
  );
});
