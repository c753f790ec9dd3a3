import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { groupPage } from "./group-page.ts";
import { typeText } from "./type-text.ts";

test("a page has a tool's parameters, need, policy, errors and examples", () => {
  const search = defineTool({
    name: "Search",
    description: "Searches.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words | phrases." },
        max: { type: "integer", default: 10 },
      },
      required: ["query"],
    },
    effects: "read",
    permission: { executionPolicy: "ask-once", resultApprovalPolicy: "always" },
    timeoutMs: 5_000,
    unavailable: { needs: "a key", fix: "Set KEY." },
    errors: { no_match: "Nothing was found." },
    examples: [{ title: "Search for cats.", args: { query: "cats" } }],
    execute: () => "",
  });
  assert.equal(
    groupPage({ name: "web", title: "Web", description: "The web.", tools: [search] }),
    `# Web (\`web\`)

<!-- Written by \`npm run tools-reference\` from the definitions. -->

The web.

## Search

Searches.

| Parameter | Type | Default | Description |
|---|---|---|---|
| \`query\` | \`string\` | required | Words \\| phrases. |
| \`max\` | \`integer\` | \`10\` |  |

- Needs: a key
- Effects: \`read\`
- Approval: once
- Review of results: always
- Time limit: 5 s

| Error | Meaning |
|---|---|
| \`no_match\` | Nothing was found. |

Search for cats.

\`\`\`json
{
  "query": "cats"
}
\`\`\`
`,
  );
});

test("types are short TypeScript", () => {
  assert.equal(typeText({ enum: ["a", 1] }), '"a" | 1');
  assert.equal(
    typeText({ type: "array", items: { type: ["string", "null"] } }),
    "(string | null)[]",
  );
  assert.equal(
    typeText({ type: "object", properties: { a: {}, b: { const: true } }, required: ["b"] }),
    "{ a?: any, b: true }",
  );
});
