import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor } from "../call/tool-executor.ts";
import { ruleProblems, type PolicyRule } from "./rule.ts";

const wrong: readonly [rule: unknown, problem: RegExp][] = [
  ["files.*", /expected a rule such as/],
  [{ execution: "deny" }, /^tool: expected a tool such as .* got nothing/],
  [{ tool: "files", execution: "deny" }, /^tool: expected a tool such as/],
  [{ tool: "*" }, /expected execution, result or approvalMs/],
  [{ tool: "*", execution: "allow" }, /^execution: expected "auto", "ask-once", .* got "allow"/],
  [{ tool: "*", result: "sometimes" }, /^result: expected "never"/],
  [
    { tool: "*", execution: "deny", whne: { a: 1 } },
    /^whne: is not a known field. Did you mean when\?/,
  ],
  [{ tool: "*", execution: "deny", reason: " " }, /^reason: expected a text/],
  [{ tool: "*", approvalMs: 0 }, /^approvalMs: expected whole milliseconds/],
  [{ tool: "*", execution: "deny", when: {} }, /^when: expected 1 to 20 conditions/],
  [{ tool: "*", execution: "deny", when: [] }, /^when: expected conditions/],
  [{ tool: "*", execution: "deny", when: { path: {} } }, /^when.path: expected a value/],
  [{ tool: "*", execution: "deny", when: { path: ["a"] } }, /^when.path: expected a value/],
  [
    { tool: "*", execution: "deny", when: { path: { globb: "a" } } },
    /^when.path.globb: is not a known field. Did you mean glob\?/,
  ],
  [
    { tool: "*", execution: "deny", when: { path: "../a" } },
    /^when.path: expected a path .* without/,
  ],
  [
    { tool: "*", execution: "deny", when: { path: "a".repeat(1_001) } },
    /^when.path: expected a path/,
  ],
  [{ tool: "*", execution: "deny", when: { u: { host: "a b" } } }, /^when.u.host: expected a host/],
  [
    { tool: "*", execution: "deny", when: { u: { host: "https://a.org" } } },
    /^when.u.host: expected a host/,
  ],
  [
    { tool: "*", execution: "deny", when: { u: { site: "a.org" } } },
    /^when.u.site: expected a site/,
  ],
  [{ tool: "*", execution: "deny", when: { n: { min: "1" } } }, /^when.n.min: expected a number/],
  [
    { tool: "*", execution: "deny", when: { n: { exists: "no" } } },
    /^when.n.exists: expected true or false/,
  ],
  [
    { tool: "*", execution: "deny", when: { n: { exists: false, min: 1 } } },
    /^when.n.exists: expected no other operator next to false/,
  ],
  [
    { tool: "*", execution: "deny", when: { n: { not: { not: 1 } } } },
    /^when.n.not.not: expected an operator other than not/,
  ],
  [
    { tool: "*", execution: "deny", when: { n: { not: { hots: "a" } } } },
    /^when.n.not.hots: is not a known field/,
  ],
];
for (const [rule, expected] of wrong)
  test(`the rule ${JSON.stringify(rule).slice(0, 80)} is rejected with the expected form`, () => {
    const [problem] = ruleProblems(rule);
    assert.match(`${problem?.path.join(".")}: ${problem?.message}`.replace(/^: /, ""), expected);
  });

test("every operator is accepted in a rule", () => {
  const when = {
    a: "docs/**",
    b: { equals: [1] },
    c: { glob: "*" },
    d: { prefix: "x" },
    e: { host: "*.a.org:80" },
    f: { site: "https://a.org" },
    g: { min: 1, max: 2 },
    h: { exists: false },
    i: { not: { path: "x" } },
    j: null,
    "/k/*/l": true,
  };
  const rule = {
    tool: "g.T",
    when,
    execution: "deny",
    result: "always",
    approvalMs: 1,
    reason: "r",
  };
  assert.deepEqual(ruleProblems(rule), []);
});

test("an executor rejects invalid rules with their index and problem", () => {
  const rules = [
    { tool: "*", execution: "auto" },
    { tool: "*", execution: "deny", when: { p: { pth: "a" } } },
  ];
  assert.throws(() => new ToolExecutor({ rules: rules as unknown as PolicyRule[] }), {
    code: "invalid_rule",
    message: "rules[1].when.p.pth: is not a known field. Did you mean path?.",
  });
  assert.throws(() => new ToolExecutor({ overrides: [{ tool: "x", execution: "deny" }] }), {
    code: "invalid_rule",
    message: /^overrides\[0\].tool: expected a tool/,
  });
});
