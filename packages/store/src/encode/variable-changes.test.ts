import assert from "node:assert/strict";
import { test } from "node:test";
import type { VariableChange } from "@capstan/core";
import { longText, variableOf } from "../testing/store-fixtures.ts";
import { encodeChanges, withDigest } from "./variable-changes.ts";

const set = (name: string, text: string): VariableChange => ({
  type: "set",
  variable: variableOf(name, text),
});

test("joins consecutive small changes into one text, which ends with a large value", () => {
  const [large, rest, ...others] = encodeChanges([
    set("a", "small"),
    { type: "removed", name: "a", reason: "removed" },
    set("b", longText("large")),
    { type: "removed", name: "b", reason: "evicted" },
    set("c", "small"),
  ]);
  assert.ok(large?.value !== undefined && rest !== undefined && rest.value === undefined);
  assert.deepEqual(others, []);
  const { value: _value, ...info } = variableOf("b", longText("large"));
  assert.deepEqual(JSON.parse(`[${withDigest(large, "d")},${rest.entries}]`), [
    ["a", variableOf("a", "small")],
    ["a", null],
    ["b", { ...info, digest: "d" }],
    ["b", { evicted: true }],
    ["c", variableOf("c", "small")],
  ]);
  assert.deepEqual(JSON.parse(large.value), { text: longText("large") });
});

test("treats a value with much data as large even if its text is short", () => {
  const variable = {
    ...variableOf("a", "short"),
    bytes: 5_000,
    value: { text: "short", data: [1] },
  };
  const [change] = encodeChanges([{ type: "set", variable }]);
  assert.equal(change?.value, '{"text":"short","data":[1]}');
});
