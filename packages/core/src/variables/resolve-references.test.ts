import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { resolveReferences } from "./resolve-references.ts";
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

// Contract: variables-44
test("without a reference the same object is returned", () => {
  const args = { a: ["text", { b: "VAR_REF{{x}}" }] };
  const outcome = resolveReferences(args, { variables: filled() });
  assert.ok(
    outcome.status === "resolved" && outcome.args === args && outcome.references.length === 0,
  );
});

// Contract: variables-42, variables-85
test("a string that is only a reference becomes the value with its type", () => {
  assert.deepEqual(resolved("$VAR_REF{{list}}"), ["a", "b"]);
  assert.equal(resolved("$VAR_REF{{number}}"), 5);
  assert.equal(resolved("$VAR_REF{{text}}"), "hello world");
  assert.deepEqual(resolved(["$VAR_REF{{list}}", 1]), [["a", "b"], 1]);
});

// Contract: variables-42
test("if the schema allows text but not the data's type, a reference becomes text", () => {
  assert.equal(resolved("$VAR_REF{{list}}", { type: "string" }), "a, b");
  assert.deepEqual(
    resolved("$VAR_REF{{list}}", { anyOf: [{ type: "string" }, { type: "array" }] }),
    ["a", "b"],
  );
  assert.deepEqual(resolved("$VAR_REF{{list}}", { type: "array" }), ["a", "b"]);
  assert.equal(resolved("$VAR_REF{{object#/a~1b/0/x~0y}}", { type: "string" }), "7");
});

// Contract: variables-43
test("in other text a value is inserted as text", () => {
  assert.equal(resolved("<$VAR_REF{{list}}|$VAR_REF{{number}}>"), "<a, b|five>");
  assert.equal(resolved(" $VAR_REF{{number}}"), " five");
});

// Contract: variables-40, variables-88
test("slices return text and never split a surrogate pair", () => {
  assert.equal(resolved("$VAR_REF{{text:6}}"), "world");
  assert.equal(resolved("$VAR_REF{{text:0:5}}"), "hello");
  assert.equal(resolved("$VAR_REF{{text:0:0}}"), "");
  assert.equal(resolved("$VAR_REF{{text:99:5}}"), "");
  assert.equal(resolved("$VAR_REF{{list:0:1}}"), "a");
  assert.equal(resolved("$VAR_REF{{emoji:0:2}}|$VAR_REF{{emoji:2}}"), "a😀|b");
});

// Contract: variables-41
test("pointers read own properties only", () => {
  assert.equal(resolved("$VAR_REF{{object#/a~1b/0/x~0y}}"), 7);
  assert.equal(resolved("$VAR_REF{{object#/n}}"), null);
  assert.match(
    failure("$VAR_REF{{object#/constructor}}").message,
    /an object with the keys a\/b, n/,
  );
  assert.match(failure("$VAR_REF{{list#/2}}").message, /a list of 2/);
  assert.match(failure("$VAR_REF{{list#/length}}").message, /a list of 2/);
  assert.match(failure("$VAR_REF{{text#/a}}").message, /is plain text/);
});

// Contract: executor-181, variables-1, variables-39, variables-80
test("names with slashes, colons and other alphabets are found", () => {
  assert.equal(resolved("$VAR_REF{{Rule/g/名前}}"), "rule");
  assert.equal(resolved("$VAR_REF{{a:b}}"), "colon");
  assert.equal(resolved("$VAR_REF{{a:b:0:3}}"), "col");
  assert.equal(resolved("$VAR_REF{{ text }}"), "hello world");
});

// Contract: executor-205, variables-45, variables-86
test("a backslash makes a reference literal, and $VAR_REF without braces is text", () => {
  assert.equal(resolved("\\$VAR_REF{{text}}"), "$VAR_REF{{text}}");
  assert.equal(resolved("\\$VAR_REF{{text}} $VAR_REF{{number}}"), "$VAR_REF{{text}} five");
  assert.equal(resolved("use $VAR_REF to refer"), "use $VAR_REF to refer");
});

// Contract: executor-93, executor-205, variables-46, variables-81
test("inserted text is never searched for references", () => {
  assert.equal(resolved("$VAR_REF{{evil}}"), "$VAR_REF{{text}} $VAR_REF{{");
  assert.equal(resolved("$VAR$VAR_REF{{evil}}"), "$VAR$VAR_REF{{text}} $VAR_REF{{");
});

// Contract: executor-93, executor-249, variables-50, variables-84
test("a missing or malformed reference is an error with its position and advice", () => {
  assert.match(
    failure("$VAR_REF{{texd}}").message,
    /In \/value: There is no variable texd. Did you mean text/,
  );
  assert.equal(failure("$VAR_REF{{text").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{text}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{}}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{text:-1}}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF{{text:1:2:3}}").code, "malformed_reference");
  assert.equal(failure("$VAR_REF {{text}}").code, "malformed_reference");
  assert.equal(resolved("the word $VAR_REF {as text}"), "the word $VAR_REF {as text}");
});

// Contract: variables-48, variables-83
test("an error names a few similar names, not all existing ones", () => {
  const variables = new VariableSystem({ capacity: 5_000 });
  for (let n = 0; n < 2_000; n++) variables.addVariable(`report_${n}x`, "x", "USER_ADD");
  for (const wanted of ["report_7", "nothing like it", "r".repeat(1_000_000)]) {
    const outcome = resolveReferences({ value: `$VAR_REF{{${wanted}}}` }, { variables });
    assert.ok(outcome.status === "failed");
    assert.equal(outcome.error.code, "variable_not_found");
    assert.ok(outcome.error.message.length < 500, outcome.error.message.slice(0, 600));
    const { reason } = outcome.error.details as { reason: { nearest: string[] } };
    assert.ok(reason.nearest.length <= 5);
  }
});

// Contract: variables-48
test("an invalid reference is an error with its text and position, and nothing is resolved", () => {
  const variables = filled();
  const args = { a: "$VAR_REF{{text}}", list: [{ "b/c": "see $VAR_REF{{nope}}" }] };
  const outcome = resolveReferences(args, { variables });
  assert.ok(outcome.status === "failed");
  assert.match(outcome.error.message, /^In \/list\/0\/b~1c: There is no variable nope\./);
  assert.equal((outcome.error.details as { path: string }).path, "/list/0/b~1c");
});

// Contract: variables-20, variables-49, variables-79
test("the error states that a variable was removed or evicted, and names the call to repeat", () => {
  const variables = new VariableSystem({ capacity: 1 });
  variables.keepResult("Fetch", { text: "page" }, { url: "u" });
  variables.addVariable("other", "x", "USER_ADD");
  for (const name of ["Fetch_1", "Fetch_1_result", "Fetch_1#/a", "Fetch_1:0:5", "Fetch_1_args"]) {
    const outcome = resolveReferences({ value: `$VAR_REF{{${name}}}` }, { variables });
    assert.ok(outcome.status === "failed");
    assert.equal(outcome.error.code, "variable_evicted", name);
    assert.match(outcome.error.message, /Call Fetch\(\{"url":"u"\}\) again/);
  }
});

// Contract: variables-39
test("property names that objects inherit are ordinary variable names", () => {
  const variables = new VariableSystem();
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  for (const name of names) {
    const reference = `$VAR_REF{{${name}}}`;
    const before = resolveReferences({ value: reference }, { variables });
    assert.equal(before.status === "failed" && before.error.code, "variable_not_found", name);
    variables.addVariable(name, { text: name, data: { [name]: 1 } }, "USER_ADD");
    const whole = resolveReferences({ value: reference }, { variables });
    assert.ok(whole.status === "resolved");
    assert.deepEqual(Object.keys(whole.args["value"] as object), [name]);
    const part = resolveReferences({ value: `$VAR_REF{{${name}#/${name}}}` }, { variables });
    assert.equal(part.status === "resolved" && part.args["value"], 1);
    const missing = resolveReferences({ value: `$VAR_REF{{${name}#/valueOf}}` }, { variables });
    assert.equal(missing.status, "failed");
  }
});

// Contract: variables-44
test("keys are unchanged and cannot pollute a prototype", () => {
  const args = JSON.parse(
    '{"__proto__":{"x":"$VAR_REF{{number}}"},"$VAR_REF{{text}}":1}',
  ) as JsonObject;
  const outcome = resolveReferences(args, { variables: filled() });
  assert.ok(outcome.status === "resolved");
  assert.deepEqual(Object.keys(outcome.args), ["__proto__", "$VAR_REF{{text}}"]);
  assert.equal(Object.getPrototypeOf(outcome.args), Object.prototype);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

// Contract: variables-8
test("each used variable is named once and visited", () => {
  const variables = filled();
  const outcome = resolveReferences(
    { a: "$VAR_REF{{text}}", b: "$VAR_REF{{text:1}} $VAR_REF{{list}}" },
    { variables },
  );
  assert.deepEqual(outcome.status === "resolved" && outcome.references, ["text", "list"]);
  assert.equal(variables.peekVariable("text")?.referenceCount, 2);
  assert.equal(variables.listVariables()[0]?.name, "list");
});

// Contract: variables-51
test("a tool that changes its arguments does not change the variable", () => {
  const variables = filled();
  const outcome = resolveReferences({ a: "$VAR_REF{{list}}" }, { variables });
  assert.ok(outcome.status === "resolved");
  (outcome.args["a"] as string[]).push("c");
  assert.deepEqual(variables.getVariable("list")?.value.data, ["a", "b"]);
});

// Contract: variables-47, variables-82
test("the resolved size is bounded", () => {
  const many = resolveReferences({ a: "$VAR_REF{{text}}".repeat(200) }, { variables: filled() });
  assert.equal(many.status === "failed" && many.error.code, "arguments_too_large");
  const data = resolveReferences(
    { a: Array<string>(300).fill("$VAR_REF{{object}}") },
    { variables: filled() },
  );
  assert.equal(data.status === "failed" && data.error.code, "arguments_too_large");
});

// Contract: variables-47
test("references insert at most 8 MiB into the arguments of one call", () => {
  const variables = new VariableSystem();
  variables.addVariable("half", "x".repeat(4 * 1024 * 1024), "USER_ADD");
  const status = (a: string) => resolveReferences({ a }, { variables }).status;
  assert.equal(status("$VAR_REF{{half}}$VAR_REF{{half}}"), "resolved");
  assert.equal(status("$VAR_REF{{half}}$VAR_REF{{half}}$VAR_REF{{half:0:1}}"), "failed");
});

// Contract: variables-47
test("arguments that are nested too deeply are rejected", () => {
  let deep: JsonValue = "$VAR_REF{{text}}";
  for (let i = 0; i < 600; i++) deep = [deep];
  assert.equal(failure(deep).code, "invalid_arguments");
});

// Contract: variables-47, variables-82
test("no input loops, throws, expands twice or grows beyond the bound", () => {
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

/** A possible text of a model, with the expected result. */
const written = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => [text, text] as const),
  fc.constantFrom(["\\$VAR_REF{{text}}", "$VAR_REF{{text}}"] as const),
  fc.constantFrom(
    ...[
      ["text", "hello world"],
      ["text:0:5", "hello"],
      ["list", "a, b"],
      ["object#/a~1b/0", '{"x~y":7}'],
      ["evil", "$VAR_REF{{text}} $VAR_REF{{"],
      ["emoji:0:2", "a😀"],
      ["a:b", "colon"],
    ].map(([name, value]) => [`$VAR_REF{{${name}}}`, value ?? ""] as const),
  ),
);

// Contract: variables-46
test("references in any text become their values once, and other text is unchanged", () => {
  fc.assert(
    fc.property(fc.array(written, { minLength: 2, maxLength: 10 }), (parts) => {
      // A text that is only a reference would become a value with its type.
      const text = `<${parts.map(([given]) => given).join("|")}>`;
      const expected = `<${parts.map(([, value]) => value).join("|")}>`;
      assert.equal(resolved(text), expected);
      assert.deepEqual(resolved([{ deep: text }]), [{ deep: expected }]);
    }),
    { numRuns: 300 },
  );
});

// Contract: variables-47
test("resolving takes linear time", () => {
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
  assert.ok(performance.now() - start < 10_000);
});
