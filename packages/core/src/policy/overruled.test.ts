import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { overruled } from "./overruled.ts";
import {
  executionRule,
  executionStrictness,
  type PolicyRule,
  resultRule,
  resultStrictness,
} from "./rule.ts";

const toolIds = ["files.View", "files.Write", "web.Fetch"];
const reported = (rule: PolicyRule, ...rules: readonly PolicyRule[]) =>
  overruled({ rule, rules, toolIds }).map(({ field, calls }) => `${field} ${calls}`);

test("a setting that requires fewer approvals than the administrator's rule has no effect", () => {
  const auto = { tool: "files.View", execution: "auto" } as const;
  for (const tool of ["*", "files.*", "files.View"])
    for (const execution of ["ask-once", "ask-always", "deny"] as const)
      assert.deepEqual(reported(auto, { tool, execution }), ["execution all"]);
});

test("a setting that requires as many or more approvals is not reported", () => {
  const always = { tool: "files.View", execution: "ask-always", result: "always" } as const;
  assert.deepEqual(
    reported(always, { tool: "*", execution: "ask-always", result: "on-error" }),
    [],
  );
  assert.deepEqual(reported(always), []);
  assert.deepEqual(reported(always, { tool: "web.*", execution: "deny", result: "always" }), []);
});

test("a rule for some tools or arguments leaves the setting its effect elsewhere", () => {
  const wide = { tool: "*", execution: "auto" } as const;
  assert.deepEqual(reported(wide, { tool: "files.*", execution: "ask-once" }), ["execution some"]);
  const secrets = { tool: "files.View", when: { path: "secrets/**" }, execution: "deny" } as const;
  assert.deepEqual(reported({ tool: "files.View", execution: "auto" }, secrets), [
    "execution some",
  ]);
  assert.deepEqual(reported({ ...secrets, execution: "auto" }, secrets), ["execution all"]);
});

test("the narrowest of the administrator's rules applies, and a denial always applies", () => {
  const auto = { tool: "files.View", execution: "auto" } as const;
  const asks = { tool: "*", execution: "ask-always" } as const;
  assert.deepEqual(reported(auto, asks, { tool: "files.*", execution: "auto" }), []);
  assert.deepEqual(reported(auto, { tool: "*", execution: "deny" }, auto), ["execution all"]);
  const docs = { tool: "files.View", when: { path: "docs/**" }, execution: "auto" } as const;
  assert.deepEqual(reported(auto, asks, docs), ["execution some"]);
});

test("each setting is checked separately, and the rule that applies is named", () => {
  const rule = { tool: "files.*", execution: "deny", result: "never", approvalMs: 5 } as const;
  const by = { tool: "files.*", result: "on-error", approvalMs: 9, reason: "law" } as const;
  assert.deepEqual(overruled({ rule, rules: [by], toolIds }), [
    { field: "result", calls: "all", by },
    { field: "approvalMs", calls: "all", by },
  ]);
});

const anyRule = fc.record(
  {
    tool: fc.constantFrom("*", "files.*", "files.View", "files.Write"),
    when: fc.constantFrom({ a: { equals: 1 } }, { a: { equals: 2 } }, { b: { equals: 1 } }),
    execution: fc.constantFrom("auto", "ask-once", "ask-always", "deny"),
    result: fc.constantFrom("never", "on-error", "always"),
  },
  { requiredKeys: ["tool"] },
) as fc.Arbitrary<PolicyRule>;

test("settings that are reported as overruled never decide a call, and other settings can", () =>
  fc.assert(
    fc.property(anyRule, fc.array(anyRule, { maxLength: 5 }), (rule, rules) => {
      const verdicts = new Map(
        overruled({ rule, rules, toolIds }).map((one) => [one.field, one.calls]),
      );
      for (const toolId of toolIds)
        for (const args of [{ a: 1 }, { a: 2 }, { a: 1, b: 1 }, { a: 2, b: 1 }, {}]) {
          const call = { toolId, args };
          const decision = executionRule([rule], call)?.execution;
          const ruled = executionRule(rules, call)?.execution;
          const isOverruled =
            decision !== undefined &&
            ruled !== undefined &&
            executionStrictness(ruled) > executionStrictness(decision);
          if (decision !== undefined && verdicts.get("execution") === "all") assert.ok(isOverruled);
          if (verdicts.get("execution") === undefined) assert.ok(!isOverruled);
          const seen = resultRule([rule], call)?.result;
          const review = resultRule(rules, call)?.result;
          const stoppedReview =
            seen !== undefined &&
            review !== undefined &&
            resultStrictness(review) > resultStrictness(seen);
          if (seen !== undefined && verdicts.get("result") === "all") assert.ok(stoppedReview);
          if (verdicts.get("result") === undefined) assert.ok(!stoppedReview);
        }
    }),
    { numRuns: 2_000, examples: [] },
  ));
