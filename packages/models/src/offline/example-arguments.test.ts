import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import type { JsonSchema } from "@capstan/core";
import { exampleLine } from "./help-text.ts";

/** The example for one required property of a tool. */
function exampleFor(property: JsonSchema, name = "value", tool = "Tool"): unknown {
  const parameters = { type: "object", properties: { [name]: property }, required: [name] };
  const line = exampleLine({ type: "function", function: { name: tool, parameters } });
  return (JSON.parse(line.slice(tool.length + 2)) as Record<string, unknown>)[name];
}

function described(description: string): JsonSchema {
  return { type: "string", description };
}

test("values from the schema come first", () => {
  const description = "e.g. spoken";
  for (const given of [
    { const: "said" },
    { examples: ["said", "more"] },
    { default: "said" },
    { enum: ["said", "more"] },
  ]) {
    assert.equal(exampleFor({ type: "string", description, ...given }), "said");
  }
});

test("a description's first example is taken, without what stands around it", () => {
  for (const [description, example] of [
    ["e.g. *.ts (in any folder), src/**/*.{ts,tsx}.", "*.ts"],
    ["Only files like this, e.g. *.md or src/**/*.ts.", "*.md"],
    ["A part of it, e.g. Fetch_2#/items/0.", "Fetch_2#/items/0"],
    ["IANA zone, e.g. Europe/Berlin: how times are meant.", "Europe/Berlin"],
    ["Town and country, e.g. San Francisco; never a region", "San Francisco"],
    ["Where, e.g. `src/main.ts` or a folder", "src/main.ts"],
    ['A question (e.g. "How long, and why?")', "How long, and why?"],
    ["The version (e.g., 1.2.3)", "1.2.3"],
    ["An address, for example https://example.org/a?b=c", "https://example.org/a?b=c"],
  ] as const) {
    assert.equal(exampleFor(described(description)), example, description);
  }
});

test("a list takes the example of its own description, an object none", () => {
  const list = { type: "array", items: { type: "string" }, description: "The names, e.g. draft." };
  assert.deepEqual(exampleFor(list), ["draft"]);
  assert.deepEqual(exampleFor({ type: "object", description: "e.g. {days: 3}" }), {});
});

test("without one, name, format and the tool's name say what fits", () => {
  const text = { type: "string" };
  for (const [name, property, tool, example] of [
    ["path", text, "ViewFile", "README.md"],
    ["path", text, "read_file", "README.md"],
    ["path", text, "list_directory", "."],
    ["path", text, "SearchFiles", "."],
    ["path", described("The folder, relative to the root."), "Show", "."],
    ["path", described("The file, in a folder of the root."), "ListLines", "README.md"],
    ["folder", text, "Show", "."],
    ["glob", text, "FindFiles", "*.md"],
    ["url", text, "Fetch", "https://example.org/"],
    ["json", text, "Shape", '{"a":1}'],
    ["when", { type: "string", format: "date" }, "Plan", "2026-01-31"],
    ["query", text, "Search", "query"],
    ["profile", text, "ListUsers", "profile"],
    ["direction", text, "Turn", "direction"],
    ["count", { type: "integer" }, "Take", 1],
    ["sure", { type: "boolean" }, "Take", true],
  ] as const) {
    assert.equal(exampleFor(property, name, tool), example, `${tool} ${name}`);
  }
});

test("every tool description gives one line, and quickly", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (words) => {
      assert.equal(typeof exampleFor(described(`e.g. ${words}`)), "string");
    }),
  );
  const start = performance.now();
  exampleFor(described(`e.g. ${")".repeat(200_000)}`));
  assert.ok(performance.now() - start < 10_000);
});
