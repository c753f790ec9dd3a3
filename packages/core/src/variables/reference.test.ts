import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonSchema, JsonValue } from "../model/json.ts";
import { resolveReferences } from "./reference.ts";
import { VariableSystem } from "./variable-system.ts";

function filled(): VariableSystem {
  const variables = new VariableSystem({ maxValueBytes: 1000 });
  variables.addVariable("text", "hello world", "USER_ADD");
  variables.addVariable("list", { text: "a, b", data: ["a", "b"] }, "USER_ADD");
  variables.addVariable(
    "object",
    { text: "an object", data: { "a/b": [{ "x~y": 7 }], n: null } },
    "USER_ADD",
  );
  variables.addVariable("number", { text: "five", data: 5 }, "USER_ADD");
  variables.addVariable("evil", "$VAR_REF{{text}} $VAR_REF{{", "USER_ADD");
  variables.addVariable("emoji", "a😀b", "USER_ADD");
  variables.addVariable("Rule/g/名前", "rule", "RULE");
  variables.addVariable("a:b", "colon", "USER_ADD");
  return variables;
}

function resolved(value: JsonValue, schema?: JsonSchema): JsonValue {
  const outcome = resolveReferences(
    { value },
    { variables: filled(), ...(schema ? { schema: { properties: { value: schema } } } : {}) },
  );
  assert.equal(outcome.status, "resolved", JSON.stringify(outcome));
  return outcome.status === "resolved" ? (outcome.args["value"] as JsonValue) : null;
}

function failure(value: JsonValue): { code: string; message: string } {
  const outcome = resolveReferences({ value }, { variables: filled() });
  assert.equal(outcome.status, "failed", JSON.stringify(outcome));
  return outcome.status === "failed" ? outcome.error : { code: "", message: "" };
}

function contents(variables: VariableSystem): ReadonlyMap<string, unknown> {
  return new Map(variables.snapshot().map(({ name, value }) => [name, structuredClone(value)]));
}

test("without a reference the same object comes back", () => {
  const args = { a: ["text", { b: "VAR_REF{{x}}" }] };
  const outcome = resolveReferences(args, { variables: filled() });
  assert.ok(
    outcome.status === "resolved" && outcome.args === args && outcome.references.length === 0,
  );
});

test("a string that is only a reference takes the value with its type", () => {
  assert.deepEqual(resolved("$VAR_REF{{list}}"), ["a", "b"]);
  assert.equal(resolved("$VAR_REF{{number}}"), 5);
  assert.equal(resolved("$VAR_REF{{text}}"), "hello world");
  assert.deepEqual(resolved(["$VAR_REF{{list}}", 1]), [["a", "b"], 1]);
});

test("where the schema takes text and not the data's type, a reference gives text", () => {
  assert.equal(resolved("$VAR_REF{{list}}", { type: "string" }), "a, b");
  assert.deepEqual(
    resolved("$VAR_REF{{list}}", { anyOf: [{ type: "string" }, { type: "array" }] }),
    ["a", "b"],
  );
  assert.deepEqual(resolved("$VAR_REF{{list}}", { type: "array" }), ["a", "b"]);
  assert.equal(resolved("$VAR_REF{{object#/a~1b/0/x~0y}}", { type: "string" }), "7");
});

test("in other text a value is inserted as text", () => {
  assert.equal(resolved("<$VAR_REF{{list}}|$VAR_REF{{number}}>"), "<a, b|five>");
  assert.equal(resolved(" $VAR_REF{{number}}"), " five");
});

test("slices are of text and never split a surrogate pair", () => {
  assert.equal(resolved("$VAR_REF{{text:6}}"), "world");
  assert.equal(resolved("$VAR_REF{{text:0:5}}"), "hello");
  assert.equal(resolved("$VAR_REF{{text:0:0}}"), "");
  assert.equal(resolved("$VAR_REF{{text:99:5}}"), "");
  assert.equal(resolved("$VAR_REF{{list:0:1}}"), "a");
  assert.equal(resolved("$VAR_REF{{emoji:0:2}}|$VAR_REF{{emoji:2}}"), "a😀|b");
});

test("pointers read own properties only", () => {
  assert.equal(resolved("$VAR_REF{{object#/a~1b/0/x~0y}}"), 7);
  assert.equal(resolved("$VAR_REF{{object#/n}}"), null);
  assert.match(
    failure("$VAR_REF{{object#/constructor}}").message,
    /an object with the keys a\/b, n/,
  );
  assert.match(failure("$VAR_REF{{list#/2}}").message, /a list of 2/);
  assert.match(failure("$VAR_REF{{list#/length}}").message, /a list of 2/);
  assert.match(failure("$VAR_REF{{text#/a}}").message, /text without structure/);
});

test("names with slashes, colons and other alphabets are found", () => {
  assert.equal(resolved("$VAR_REF{{Rule/g/名前}}"), "rule");
  assert.equal(resolved("$VAR_REF{{a:b}}"), "colon");
  assert.equal(resolved("$VAR_REF{{a:b:0:3}}"), "col");
  assert.equal(resolved("$VAR_REF{{ text }}"), "hello world");
});

test("a backslash makes it literal, and a bare mark is text", () => {
  assert.equal(resolved("\\$VAR_REF{{text}}"), "$VAR_REF{{text}}");
  assert.equal(resolved("\\$VAR_REF{{text}} $VAR_REF{{number}}"), "$VAR_REF{{text}} five");
  assert.equal(resolved("use $VAR_REF to refer"), "use $VAR_REF to refer");
});

test("text that comes out of a variable is never searched", () => {
  assert.equal(resolved("$VAR_REF{{evil}}"), "$VAR_REF{{text}} $VAR_REF{{");
  assert.equal(resolved("$VAR$VAR_REF{{evil}}"), "$VAR$VAR_REF{{text}} $VAR_REF{{");
});

test("what is missing or malformed is an error that says where and what instead", () => {
  assert.match(
    failure("$VAR_REF{{texd}}").message,
    /In \/value: There is no variable texd. Did you mean text/,
  );
  assert.equal(failure("$VAR_REF{{text").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{text}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{}}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{text:-1}}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{text:1:2:3}}").code, "malformed_reference");
});

test("keys are left alone and cannot pollute", () => {
  const args = JSON.parse(
    '{"__proto__":{"x":"$VAR_REF{{number}}"},"$VAR_REF{{text}}":1}',
  ) as JsonObject;
  const outcome = resolveReferences(args, { variables: filled() });
  assert.ok(outcome.status === "resolved");
  assert.deepEqual(Object.keys(outcome.args), ["__proto__", "$VAR_REF{{text}}"]);
  assert.equal(Object.getPrototypeOf(outcome.args), Object.prototype);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test("what was used is named once, and counted as visits", () => {
  const variables = filled();
  const outcome = resolveReferences(
    { a: "$VAR_REF{{text}}", b: "$VAR_REF{{text:1}} $VAR_REF{{list}}" },
    { variables },
  );
  assert.deepEqual(outcome.status === "resolved" && outcome.references, ["text", "list"]);
  assert.equal(variables.peekVariable("text")?.referenceCount, 2);
  assert.equal(variables.listVariables()[0]?.name, "list");
});

test("a tool that changes its arguments does not change the variable", () => {
  const variables = filled();
  const outcome = resolveReferences({ a: "$VAR_REF{{list}}" }, { variables });
  assert.ok(outcome.status === "resolved");
  (outcome.args["a"] as string[]).push("c");
  assert.deepEqual(variables.getVariable("list")?.value.data, ["a", "b"]);
});

test("the resolved size is bounded", () => {
  const many = resolveReferences({ a: "$VAR_REF{{text}}".repeat(200) }, { variables: filled() });
  assert.equal(many.status === "failed" && many.error.code, "arguments_too_large");
  const data = resolveReferences(
    { a: Array<string>(300).fill("$VAR_REF{{object}}") },
    { variables: filled() },
  );
  assert.equal(data.status === "failed" && data.error.code, "arguments_too_large");
});

test("arguments that nest too deep are refused", () => {
  let deep: JsonValue = "$VAR_REF{{text}}";
  for (let i = 0; i < 600; i++) deep = [deep];
  assert.equal(failure(deep).code, "invalid_arguments");
});

test("no input makes it loop, throw, expand twice or grow beyond the bound", () => {
  const piece = fc.constantFrom(
    "$VAR_REF",
    "{{",
    "}}",
    "text",
    "evil",
    ":",
    "1",
    "#/",
    "a",
    "\\",
    "$",
    "{",
    "}",
    "$VAR_REF{{evil}}",
    "$VAR_REF{{text:1:2}}",
  );
  const input = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      fc.dictionary(input, fc.oneof(input, fc.array(input, { maxLength: 3 })), { maxKeys: 4 }),
      (args) => {
        const variables = filled();
        const before = contents(variables);
        const outcome = resolveReferences(args, { variables });
        if (outcome.status === "resolved") {
          assert.deepEqual(Object.keys(outcome.args), Object.keys(args));
          assert.ok(JSON.stringify(outcome.args).length <= 2000 + 2 * JSON.stringify(args).length);
        } else assert.ok(outcome.error.message.length < 1000);
        assert.deepEqual(contents(variables), before);
      },
    ),
    { numRuns: 500 },
  );
});

test("references take time in proportion to the text", () => {
  const variables = new VariableSystem();
  variables.addVariable("t", "x", "USER_ADD");
  const start = performance.now();
  const outcome = resolveReferences(
    { a: "$VAR_REF{{t}} \\$VAR_REF {{".repeat(40_000) },
    { variables },
  );
  assert.equal(outcome.status, "resolved");
  assert.equal(
    resolveReferences({ a: "$VAR_REF".repeat(200_000) }, { variables }).status,
    "resolved",
  );
  assert.ok(performance.now() - start < 1500);
});
