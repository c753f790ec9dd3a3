import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { parseArguments, prepareArguments } from "./prepare-arguments.ts";
import { loadSchemaChecks } from "./schema-checks.ts";

await loadSchemaChecks();

const schema: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    count: { type: "integer", minimum: 0, maximum: 9 },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    sizes: { type: "array", items: { type: "integer" } },
    options: {
      type: "object",
      properties: { mode: { enum: ["a", "b"] }, level: { type: "integer" } },
      additionalProperties: false,
    },
    free: {},
  },
  required: ["path", "count"],
  additionalProperties: false,
};

test("valid arguments stay unchanged", () => {
  const args = { path: ".", count: 1 };
  const prepared = prepareArguments(args, schema);
  assert.ok(prepared.status === "valid" && prepared.args === args && prepared.repairs.length === 0);
  assert.equal(prepareArguments({ any: "thing" }, undefined).status, "valid");
});

test("repairs are reported", () => {
  assert.deepEqual(prepareArguments({ path: ".", count: "3", tags: "x", ratio: null }, schema), {
    status: "valid",
    args: { path: ".", count: 3, tags: ["x"] },
    repairs: ["/count: text to a whole number", "/tags: text to a list", "/ratio: null removed"],
  });
});

// Contract: executor-94, executor-167, executor-236
test("an error contains the information to correct the call", () => {
  const prepared = prepareArguments(
    { pth: "x".repeat(500), count: "many", options: { mod: "a" } },
    schema,
  );
  assert.ok(prepared.status === "invalid");
  assert.equal(prepared.error.code, "invalid_arguments");
  const { message } = prepared.error;
  assert.match(message, /- \/path is required/);
  assert.match(message, /- \/pth is not a known property; did you mean path\?/);
  assert.match(message, /- \/count: expected a whole number, got text "many"/);
  assert.match(message, /- \/options\/mod is not a known property; did you mean mode\?/);
  assert.ok(message.length < 800);
});

test("a given name similar to a missing name is suggested, even if unknown names are allowed", () => {
  const inner = { type: "object", properties: { path: {}, deep: {} }, required: ["path"] };
  const schema = { type: "object", properties: { file: inner }, required: ["file"] };
  const prepared = prepareArguments({ file: { pth: ".", deep: 1 } }, schema);
  assert.ok(prepared.status === "invalid");
  assert.match(prepared.error.message, /- \/file\/path is required; did you write it as pth\?\n/);
  const none = prepareArguments({ file: { other: 1, deep: 1 } }, schema);
  assert.match(none.status === "invalid" ? none.error.message : "", /\/file\/path is required\n/);
});

test("at most eight issues are shown", () => {
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`unknown${i}`, 1]));
  const prepared = prepareArguments({ path: ".", count: 1, ...unknown }, schema);
  assert.ok(prepared.status === "invalid");
  assert.equal(prepared.error.message.match(/^- \//gm)?.length, 8);
  const required = Array.from({ length: 30 }, (_, i) => `key${i}`);
  const missing = prepareArguments({}, { required });
  assert.ok(missing.status === "invalid");
  assert.match(missing.error.message, /- \/key7 is required\n- and 22 more/);
});

test("a call of a tool with an invalid schema is an error with that reason", () => {
  const prepared = prepareArguments({}, { type: "objekt" });
  assert.equal(prepared.status === "invalid" && prepared.error.code, "invalid_schema");
});

/** Valid calls, each with one corruption. */
const call = fc.record(
  {
    path: fc.string(),
    count: fc.integer({ min: 0, max: 9 }),
    ratio: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((ratio) => (Object.is(ratio, -0) ? 0 : ratio)),
    deep: fc.boolean(),
    tags: fc.array(fc.string(), { maxLength: 3 }),
    sizes: fc.array(fc.integer(), { maxLength: 3 }),
    options: fc.record(
      { mode: fc.constantFrom("a", "b"), level: fc.integer() },
      { requiredKeys: [] },
    ),
    free: fc.jsonValue(),
  },
  { requiredKeys: ["path", "count"] },
) as fc.Arbitrary<JsonObject>;

type Corruption = (args: JsonObject) => string | undefined;

function changed(key: string, change: (value: JsonValue) => JsonValue | undefined): Corruption {
  return (args) => {
    const value = args[key];
    const other = value === undefined ? undefined : change(value);
    return other === undefined ? undefined : JSON.stringify({ ...args, [key]: other });
  };
}

/** These corruptions lose nothing, so the call must be restored exactly. */
const lossless: { readonly [name: string]: Corruption } = {
  "a whole number as text": changed("count", String),
  "a number as text": changed("ratio", String),
  "a boolean as text": changed("deep", String),
  "a list as text": changed("sizes", (value) => JSON.stringify(value)),
  "a list of texts as text": changed("tags", (value) => JSON.stringify(value)),
  "an object as text": changed("options", (value) => JSON.stringify(value, null, 2)),
  "a single value for a list": changed("sizes", (value) =>
    (value as number[]).length === 1 ? (value as number[])[0] : undefined,
  ),
  "null for an absent optional": (args) =>
    "ratio" in args ? undefined : JSON.stringify({ ...args, ratio: null }),
  "all arguments as text": (args) => JSON.stringify(JSON.stringify(args)),
  "a code fence": (args) => `\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\``,
  "a trailing comma": (args) => `${JSON.stringify(args).slice(0, -1)},}`,
};

/** These corruptions cannot be repaired. */
const lossy: { readonly [name: string]: Corruption } = {
  "a required value missing": (args) => JSON.stringify({ ...args, path: undefined }),
  "null for a required value": changed("count", () => null),
  "a number for text": changed("path", () => 5),
  "text for a number": changed("count", () => "three"),
  "a fraction for a whole number": changed("count", () => "2.5"),
  "a number out of range": changed("count", () => 10),
  "an object for a list": changed("sizes", () => ({ a: 1 })),
  "a wrong member": changed("sizes", () => [1, "x"]),
  "an unknown property": (args) => JSON.stringify({ ...args, extra: 1 }),
  "broken JSON": (args) => JSON.stringify(args).slice(0, -2),
  "a list of calls": (args) => JSON.stringify([args]),
};

function prepared(text: string): JsonObject | undefined {
  const parsed = parseArguments(text);
  if (parsed.status === "failed") return undefined;
  const outcome = prepareArguments(parsed.args, schema);
  return outcome.status === "valid" ? outcome.args : undefined;
}

for (const [name, corrupt] of Object.entries(lossless)) {
  test(`corpus: ${name} is restored exactly`, () => {
    let corrupted = 0;
    fc.assert(
      fc.property(call, (args) => {
        const text = corrupt(args);
        if (text === undefined) return;
        corrupted += 1;
        assert.deepEqual(prepared(text), JSON.parse(JSON.stringify(args)));
      }),
      { numRuns: 120 },
    );
    assert.ok(corrupted > 0);
  });
}

for (const [name, corrupt] of Object.entries(lossy)) {
  test(`corpus: ${name} is refused`, () => {
    fc.assert(
      fc.property(call, (args) => {
        const text = corrupt(args);
        if (text !== undefined) assert.equal(prepared(text), undefined);
      }),
      { numRuns: 30 },
    );
  });
}
