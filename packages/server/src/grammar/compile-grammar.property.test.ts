import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileGrammar } from "./compile-grammar.ts";

/** An expression without rules, which can be the body of a rule and of a terminal. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, depthIdentifier: "expression" },
    fc.constantFrom('"a"', '"b"', '"ab"', "/a*/", "/[ab]/", '"a".."b"', '""', "/(a|b)?/"),
    fc.tuple(tie("expression"), tie("expression")).map((parts) => parts.join(" ")),
    fc.tuple(tie("expression"), tie("expression")).map((parts) => `(${parts.join(" | ")})`),
    fc
      .tuple(tie("expression"), fc.constantFrom("?", "*", "+", "~2", "~0..2"))
      .map(([part, operator]) => `(${part})${operator}`),
    tie("expression").map((part) => `[${part}]`),
  ),
}));

function problemOf(definition: string): (text: string) => string | undefined {
  const compiled = compileGrammar({ syntax: "lark", definition });
  assert.equal(compiled.status, "compiled", `${definition}: ${JSON.stringify(compiled)}`);
  return compiled.status === "compiled" ? compiled.problem : assert.fail();
}

// Contract: responses-14
test("an expression accepts the same texts as a rule and as a terminal", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  fc.assert(
    fc.property(expression, fc.array(text, { minLength: 1, maxLength: 10 }), (body, texts) => {
      const asRule = problemOf(`start: ${body}`);
      const asTerminal = problemOf(`start: T\nT: ${body}`);
      for (const each of texts)
        assert.equal(
          asRule(each) === undefined,
          asTerminal(each) === undefined,
          `${body}: ${each}`,
        );
    }),
    { numRuns: 300 },
  );
});
