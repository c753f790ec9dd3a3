import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import { definitionDigest, ToolRegistry } from "../tool/registry.ts";
import { decide, type Decision, type DecideOptions } from "./decide.ts";
import { type Grant, GrantBook } from "./grant.ts";
import type { ExecutionDecision } from "../tool/tool.ts";
import type { PolicyRule } from "./rule.ts";

const words = ["auto", "ask-once", "ask-always", "deny"] as const;
const anyDecision = fc.constantFrom<ExecutionDecision>(...words);
const anyRule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    tool: fc.constantFrom("g.T", "g.*", "*", "other.*"),
    execution: anyDecision,
    when: fc.constantFrom({ p: "a/**" }, { p: "a/b" }, { n: { min: 5 } }, { p: "a/**", n: 7 }),
  },
  { requiredKeys: ["tool", "execution"] },
);
const anyRules = fc.array(anyRule, { maxLength: 4 });
const anyArgs = fc.record({ p: fc.constantFrom("a/b", "a/c", "d"), n: fc.constantFrom(1, 7) });
const registeredOf = (own: ExecutionDecision) => {
  const registry = new ToolRegistry();
  const permission = { executionPolicy: own };
  const tool = defineTool({ name: "T", description: "", permission, execute: () => 1 });
  registry.register({ name: "g", tools: [tool] });
  return registry.tool("g.T")!;
};
const tools = new Map(words.map((own) => [own, registeredOf(own)]));
const current = definitionDigest(tools.get("auto")!.tool);

const anyGrant: fc.Arbitrary<Grant> = fc.record({
  id: fc.uuid(),
  toolId: fc.constantFrom("g.T", "g.U"),
  verdict: fc.constantFrom("allow", "refuse"),
  scope: fc.constant("session"),
  definitionDigest: fc.constantFrom(current, "older"),
  principalId: fc.constant("local"),
  match: fc.constantFrom<Grant["match"]>(
    { type: "tool" },
    { type: "pattern", when: { p: "a/**" } },
    { type: "arguments", digest: "same" },
    { type: "arguments", digest: "else" },
  ),
  title: fc.constant("t"),
  grantedBy: fc.constant("me"),
  createdAt: fc.constant(1),
  expiresAt: fc.constantFrom(50, 150),
});
const anyCase = fc.record({
  own: anyDecision,
  rules: anyRules,
  overrides: anyRules,
  grants: fc.array(anyGrant, { maxLength: 3 }),
  args: anyArgs,
  requireApproval: fc.constantFrom(undefined, "always", "never"),
});
type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

function decided({ own, grants, ...rest }: Case): Decision {
  const options: DecideOptions = {
    ...rest,
    registered: tools.get(own)!,
    argsDigest: () => "same",
    grants: new GrantBook(grants),
    principalId: "local",
    now: 100,
  };
  return decide(options);
}

/** Lower is more permissive. A remembered answer is more permissive than asking always. */
function strictness(decision: Decision): number {
  if (decision.verdict === "allow") return 0;
  if (decision.verdict === "deny") return 3;
  return decision.grantable ? 1 : 2;
}

const holds = (rule: PolicyRule, { p, n }: Case["args"]): boolean => {
  if (rule.tool === "other.*") return false;
  const { p: path, n: number } = (rule.when ?? {}) as { readonly p?: string; readonly n?: unknown };
  const fits = path === undefined || (path === "a/**" ? p.startsWith("a/") : p === path);
  return fits && (number === undefined || (number === 7 ? n === 7 : n >= 5));
};
const covers = (
  { toolId, definitionDigest: digest, match, expiresAt = 0 }: Grant,
  p: string,
): boolean =>
  toolId === "g.T" &&
  digest === current &&
  expiresAt > 100 &&
  (match.type === "tool" ||
    (match.type === "pattern" && p.startsWith("a/")) ||
    (match.type === "arguments" && match.digest === "same"));
const runs = { numRuns: 1_000 };

// Contract: executor-224
test("a call is denied exactly if any source denies it", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { own, rules, overrides, grants, args } = given;
      const anywhere =
        own === "deny" ||
        [...rules, ...overrides].some((rule) => rule.execution === "deny" && holds(rule, args)) ||
        grants.some((grant) => grant.verdict === "refuse" && covers(grant, args.p));
      assert.equal(decided(given).verdict === "deny", anywhere);
    }),
    runs,
  );
});

test("adding a rule that denies or always asks never permits more, from any source", () => {
  const strictRule = fc.record({
    tool: fc.constantFrom("g.T", "g.*", "*"),
    execution: fc.constantFrom<ExecutionDecision>("deny", "ask-always"),
  });
  fc.assert(
    fc.property(
      anyCase,
      strictRule,
      fc.constantFrom("rules", "overrides"),
      (given, rule, decider) => {
        // A more specific rule of the same source may require fewer approvals than a rule that always
        // asks.
        const all = [...given[decider], rule];
        const before = strictness(decided({ ...given, [decider]: [] }));
        const with1 = strictness(decided({ ...given, [decider]: [rule] }));
        assert.ok(with1 >= Math.min(before, 2));
        if (rule.execution === "deny")
          assert.equal(decided({ ...given, [decider]: all }).verdict, "deny");
      },
    ),
    runs,
  );
});

// Contract: executor-231
test("no override and no request permits calls for which the administrator's rule asks", () => {
  fc.assert(
    fc.property(anyCase, anyRule, (given, rule) => {
      const ruled = { ...given, rules: [{ ...rule, tool: "*" }], overrides: [], grants: [] };
      const { execution } = rule;
      fc.pre(holds({ ...rule, tool: "*" }, given.args) && execution !== "auto");
      const { requireApproval: _lifted, ...plain } = ruled;
      const alone = strictness(decided({ ...plain, requireApproval: undefined }));
      const { overrides } = given;
      assert.ok(strictness(decided({ ...ruled, overrides })) >= alone);
    }),
    runs,
  );
});

// Contract: executor-224
test("without a denial, the administrator overrides the user, the user overrides a grant, and a grant overrides the tool", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const decision = decided({ ...given, requireApproval: undefined });
      fc.pre(decision.verdict !== "deny");
      const { rules, overrides, grants, args, own } = given;
      const applies = (all: readonly PolicyRule[]) => all.some((rule) => holds(rule, args));
      const allowed = grants.some((grant) => covers(grant, args.p));
      if (decision.verdict === "ask") {
        const decider = applies(rules)
          ? /administrator|Your own/
          : applies(overrides)
            ? /Your own/
            : /This tool/;
        assert.match(decision.reason, decider);
        assert.equal(allowed && decision.grantable, false, "a grant answers requests of ask-once");
      } else if (decision.by === "rule") assert.ok(applies(rules));
      else if (decision.by === "override") assert.ok(applies(overrides) && !applies(rules));
      else if (decision.by === "grant") assert.ok(allowed);
      else assert.ok(own === "auto" && !applies(rules) && !applies(overrides));
    }),
    runs,
  );
});

test("decisions do not depend on the order of the rules", () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const turned = {
        ...given,
        rules: given.rules.toReversed(),
        overrides: given.overrides.toReversed(),
      };
      assert.equal(decided(turned).verdict, decided(given).verdict);
      assert.equal(strictness(decided(turned)), strictness(decided(given)));
    }),
    runs,
  );
});
