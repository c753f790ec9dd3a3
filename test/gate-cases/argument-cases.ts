import type { GateCase } from "./gate-case.ts";

const sum = { tool: "Add", args: { a: 1, b: 2 } };

/** Arguments that a model can write, and how the gate parses them. */
export const argumentCases: readonly GateCase[] = [
  {
    name: "valid arguments run",
    ...sum,
    expected: { status: "success", reads: ["3"], data: 3, ran: [{ a: 1, b: 2 }] },
  },
  {
    name: "arguments as text run",
    tool: "Add",
    args: '{"a":1,"b":2}',
    expected: { status: "success", data: 3 },
  },
  {
    name: "missing arguments are an empty object",
    tool: "Echo",
    args: "",
    expected: { status: "success", ran: [{}] },
  },
  {
    name: "a code fence and a trailing comma are repaired",
    tool: "Add",
    args: '```json\n{"a":1,"b":2,}\n```',
    expected: { status: "success", data: 3 },
  },
  {
    name: "numbers in text become numbers",
    tool: "Add",
    args: { a: "1", b: "2.5" },
    expected: { status: "success", ran: [{ a: 1, b: 2.5 }] },
  },
  {
    name: "a list in text becomes a list",
    tool: "Join",
    args: { words: '["a","b"]' },
    expected: { status: "success", ran: [{ words: ["a", "b"] }] },
  },
  {
    name: "a single value becomes a list with one item",
    tool: "Join",
    args: { words: "a" },
    expected: { status: "success", ran: [{ words: ["a"] }] },
  },
  {
    name: "a text that is not a number is rejected, with its path and the expected type",
    tool: "Add",
    args: { a: "one", b: 2 },
    expected: refused("/a: expected a number"),
  },
  {
    name: "truncated JSON is rejected",
    tool: "Add",
    args: '{"a": 1, "b": ',
    expected: refused("not valid JSON"),
  },
  {
    name: "a missing argument is rejected",
    tool: "Add",
    args: { a: 1 },
    expected: refused("/b is required"),
  },
  {
    name: "a misspelt argument name is rejected with the correct name",
    tool: "Join",
    args: { word: ["a"] },
    expected: refused("did you mean words?"),
  },
  {
    name: "text that matches a pattern runs",
    tool: "Slug",
    args: { text: "a-b" },
    expected: { status: "success", reads: ["a-b"] },
  },
  {
    name: "text that does not match a pattern is rejected",
    tool: "Slug",
    args: { text: "A B" },
    expected: refused("/text"),
  },
  {
    name: "a pattern that hangs a backtracking engine is tested in linear time",
    tool: "Tangled",
    args: { text: `${"a".repeat(5_000)}!` },
    expected: refused("/text"),
  },
  {
    name: "a schema with unevaluatedProperties accepts the properties that it names",
    tool: "Sealed",
    args: { kind: "one" },
    before: [{ tool: "Sealed", args: { other: 1 } }],
    expected: { status: "success", data: "one" },
  },
  {
    name: "such a schema keeps no state between arguments",
    tool: "Sealed",
    args: { kind: "one", other: 1, more: 1 },
    before: [{ tool: "Sealed", args: { other: 1 } }],
    expected: refused("/more"),
  },
  {
    name: "a tool with an invalid schema cannot be called",
    tool: "Broken",
    expected: { status: "error", code: "invalid_schema", reads: ["/properties/a/type"], ran: [] },
  },
  {
    name: "keys of prototypes are data",
    tool: "Echo",
    args: '{"value":1,"constructor":{"prototype":{"polluted":true}}}',
    expected: { status: "success", data: 1 },
  },
  {
    name: "a reference is replaced by its typed value",
    tool: "Echo",
    args: { value: "$VAR_REF{{Add_1}}" },
    before: [sum],
    expected: { status: "success", data: 3, ran: [sum.args, { value: 3 }] },
  },
  {
    name: "a reference within text becomes text",
    tool: "Echo",
    args: { value: "sum: $VAR_REF{{Add_1}}!" },
    before: [sum],
    expected: { status: "success", data: "sum: 3!" },
  },
  {
    name: "references in a referenced value are not resolved",
    tool: "Echo",
    args: { value: "$VAR_REF{{Quote_2}}" },
    before: [sum, { tool: "Quote" }],
    expected: { status: "success", data: "$VAR_REF{{Add_1}}" },
  },
  {
    name: "a reference to an absent variable is rejected with the nearest name",
    tool: "Echo",
    args: { value: "$VAR_REF{{Ad_1}}" },
    before: [sum],
    expected: {
      status: "error",
      code: "variable_not_found",
      reads: ["Did you mean Add_1?"],
      ran: [sum.args],
    },
  },
];

function refused(says: string): GateCase["expected"] {
  return { status: "error", code: "invalid_arguments", reads: [says] };
}
