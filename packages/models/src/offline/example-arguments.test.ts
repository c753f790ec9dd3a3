import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import type { JsonSchema } from "@capstan/core";
import { exampleLine } from "./help-text.ts";

/** Returns the example value for one required property of a tool. */
function exampleFor(property: JsonSchema, name = "value", tool = "Tool"): unknown {
  const parameters = { type: "object", properties: { [name]: property }, required: [name] };
  const line = exampleLine({ type: "function", function: { name: tool, parameters } });
  return (JSON.parse(line.slice(tool.length + 2)) as Record<string, unknown>)[name];
}

function described(description: string): JsonSchema {
  return { type: "string", description };
}

test("prefers values from the schema", () => {
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

test("takes the first example of a description without the surrounding text", () => {
  for (const [description, example] of [
    ["e.g. *.ts (in any folder), src/**/*.{ts,tsx}.", "*.ts"],
    ["Only files that match, e.g. *.md or src/**/*.ts.", "*.md"],
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

test("takes the example of a list from its description, but none for an object", () => {
  const list = { type: "array", items: { type: "string" }, description: "The names, e.g. draft." };
  assert.deepEqual(exampleFor(list), ["draft"]);
  assert.deepEqual(exampleFor({ type: "object", description: "e.g. {days: 3}" }), {});
});

test("without an example, chooses a value by name, format and tool name", () => {
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

test("returns one line for any description, and quickly", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (words) => {
      assert.equal(typeof exampleFor(described(`e.g. ${words}`)), "string");
    }),
  );
  const start = performance.now();
  exampleFor(described(`e.g. ${")".repeat(200_000)}`));
  assert.ok(performance.now() - start < 10_000);
});
