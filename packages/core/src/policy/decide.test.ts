import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalRequest } from "./approval.ts";
import { executorWith } from "../testing/executor-with.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolPermission } from "../tool/tool.ts";
import type { ToolExecutorOptions } from "../call/tool-executor.ts";
import type { PolicyRule } from "./rule.ts";

/** An executor of one tool that records its approval requests and always approves. */
function asking(permission: ToolPermission, options: ToolExecutorOptions = {}) {
  const asked: ApprovalRequest[] = [];
  const tool = defineTool({
    name: "T",
    description: "",
    parameters: {
      type: "object",
      properties: { path: { type: "string" }, n: { type: "number" } },
    },
    permission,
    execute: () => "ran",
  });
  const approvals = {
    request: (request: ApprovalRequest) => (asked.push(request), { decision: "allow" } as const),
  };
  return { executor: executorWith([tool], { approvals, ...options }), asked };
}

// Contract: executor-219
test("a rule with conditions denies only matching calls", async () => {
  const rules: readonly PolicyRule[] = [
    { tool: "test.*", when: { path: "secrets/**" }, execution: "deny", reason: "these are secret" },
  ];
  const { executor } = asking({ executionPolicy: "auto" }, { rules });
  const refused = await executor.execute("T", { path: "docs/../secrets/a" });
  assert.equal(refused.status, "execution_rejected");
  assert.match(
    refused.status === "execution_rejected" ? refused.finalText : "",
    /these are secret/,
  );
  assert.equal((await executor.execute("T", { path: "docs/a" })).status, "success");
});

test("rules get arguments in the tool's canonical form", async () => {
  const rules: readonly PolicyRule[] = [
    { tool: "*", when: { path: "secrets/**" }, execution: "deny" },
  ];
  const canonicalArguments = ({ path }: { readonly [name: string]: unknown }) => ({
    path: String(path).replace("/home/me/", ""),
  });
  const permission: ToolPermission = { executionPolicy: "auto", canonicalArguments };
  const { executor } = asking(permission, { rules });
  const whole = await executor.execute("T", { path: "/home/me/secrets/a" });
  assert.equal(whole.status, "execution_rejected");
  assert.equal((await executor.execute("T", { path: "/home/me/a" })).status, "success");
});

test("the request names the source of its rule, and the reason", async () => {
  const rule = { tool: "test.T", execution: "ask-always", reason: "it costs money" } as const;
  const admin = asking({}, { rules: [rule] });
  await admin.executor.execute("T", {});
  assert.equal(
    admin.asked[0]?.reason,
    "An administrator's rule requires approval every time: it costs money",
  );
  const user = asking({}, { overrides: [{ ...rule, execution: "ask-once" }] });
  await user.executor.execute("T", {});
  assert.equal(
    user.asked[0]?.reason,
    "Your own rule requires approval the first time: it costs money",
  );
});

test("a rule that asks every time neither offers nor accepts a wider answer", async () => {
  const { executor, asked } = asking({}, { rules: [{ tool: "*", execution: "ask-always" }] });
  await executor.execute("T", {});
  await executor.execute("T", {});
  assert.equal(asked.length, 2);
  assert.equal(asked[0]?.grant, undefined);
  assert.equal(executor.gate.grants.list().length, 0);
});

test("the user's override tightens the administrator's rule, and cannot loosen it", async () => {
  const rules = [{ tool: "*", execution: "auto" }] as const;
  const tightened = asking({}, { rules, overrides: [{ tool: "*", execution: "ask-always" }] });
  await tightened.executor.execute("T", {});
  assert.equal(tightened.asked.length, 1);
  const loosened = asking(
    {},
    {
      rules: [{ tool: "*", execution: "ask-always" }],
      overrides: [{ tool: "test.T", execution: "auto" }],
    },
  );
  await loosened.executor.execute("T", {});
  assert.equal(loosened.asked.length, 1);
});

// Contract: executor-230
test("an override that is a function is evaluated for each call", async () => {
  let overrides: readonly PolicyRule[] = [];
  const { executor } = asking({ executionPolicy: "auto" }, { overrides: () => overrides });
  assert.equal((await executor.execute("T", {})).status, "success");
  overrides = [{ tool: "*", execution: "deny" }];
  assert.equal((await executor.execute("T", {})).status, "execution_rejected");
});

test("the expiry of a request is set by the rule, else the tool, else the gate", async () => {
  const rules = [{ tool: "*", when: { n: 1 }, approvalMs: 1_000 }] as const;
  const { executor, asked } = asking(
    { executionPolicy: "ask-always", approvalMs: 2_000 },
    { rules, clock: new FakeClock(0), limits: { approvalMs: 3_000 } },
  );
  await executor.execute("T", { n: 1 });
  await executor.execute("T", { n: 2 });
  assert.deepEqual(
    asked.map(({ expiresAt }) => expiresAt),
    [1_000, 2_000],
  );
});

test("a policy that throws or returns an invalid value requires approval", async () => {
  const odd = [
    () => "maybe",
    () => undefined,
    () => {
      throw new Error("broken");
    },
  ] as unknown as readonly (() => "auto")[];
  for (const executionPolicy of odd) {
    const { executor, asked } = asking({ executionPolicy });
    assert.equal((await executor.execute("T", {})).status, "success");
    assert.equal(asked.length, 1);
  }
});

// Contract: executor-107, executor-231, executor-232
test("a request overrides the tool's own policy, and can require more approvals than any source", async () => {
  const lifted = asking({ executionPolicy: "ask-always" });
  await lifted.executor.execute("T", {}, { requireApproval: "never" });
  assert.equal(lifted.asked.length, 0);
  const ruled = asking({}, { rules: [{ tool: "*", execution: "ask-once" }] });
  await ruled.executor.execute("T", {}, { requireApproval: "never" });
  assert.equal(ruled.asked.length, 1);
  const denied = asking({ executionPolicy: "deny" });
  const result = await denied.executor.execute("T", {}, { requireApproval: "never" });
  assert.equal(result.status, "execution_rejected");
  const tightened = asking({}, { rules: [{ tool: "*", execution: "auto" }] });
  await tightened.executor.execute("T", {}, { requireApproval: "always" });
  assert.equal(tightened.asked.length, 1);
});

// Contract: executor-259
test("only a rule that names a tool that asks the user answers for the user", async () => {
  const askedWith = async (rules: readonly PolicyRule[], required?: "never") => {
    const asked: string[] = [];
    const question = defineTool({
      name: "Question",
      description: "",
      permission: { executionPolicy: "ask-always" },
      asksUser: true,
      execute: () => "yes",
    });
    const executor = executorWith([question], {
      rules,
      approvals: {
        request: ({ toolId }: ApprovalRequest) => (
          asked.push(toolId),
          { decision: "allow" } as const
        ),
      },
    });
    const result = await executor.execute(
      "Question",
      {},
      required && { requireApproval: required },
    );
    return `${result.status} ${asked.length}`;
  };
  const auto = (tool: string) => [{ tool, execution: "auto" }] as const;
  assert.equal(await askedWith(auto("*")), "success 1");
  assert.equal(await askedWith(auto("test.*")), "success 1");
  assert.equal(await askedWith(auto("test.Question")), "success 0");
  assert.equal(await askedWith([], "never"), "success 1");
  assert.equal(await askedWith([{ tool: "*", execution: "deny" }]), "execution_rejected 0");
});
