import assert from "node:assert/strict";
import { test } from "node:test";
import { numbered, proposed } from "../../testing/run-script.ts";
import { callTexts, wireArguments } from "./calls.ts";
import { internText } from "./text-items.ts";

/** Returns the values of 30 readers that parse the same JSON independently. */
function readByMany<Value, Result>(value: Value, read: (parsed: Value) => Result): Result[] {
  const json = JSON.stringify(value);
  return Array.from({ length: 30 }, () => read(JSON.parse(json) as Value));
}

// Contract: durability-7
test("many readers of a run share one copy of its calls' texts", () => {
  const args = { input: "y".repeat(100_000) };
  const [event] = numbered([
    proposed("c", { toolId: "files.ViewFile", argumentsText: JSON.stringify(args), args }),
  ]);
  assert.ok(event?.type === "call.proposed");
  const calls = readByMany(event, callTexts);
  assert.equal(new Set(calls.map(({ argumentsText }) => argumentsText)).size, 1);
  assert.equal(new Set(calls.map((call) => call.args)).size, 1);
  assert.equal(new Set(calls.map(wireArguments)).size, 1);
  assert.equal(calls[0]?.argumentsText, calls[0]?.args);
  assert.deepEqual(JSON.parse(calls[0]?.argumentsText.text ?? ""), args);
});

test("readers of equal long texts share one object", () => {
  const text = "z".repeat(1_024);
  const shared = readByMany(text, internText);
  assert.equal(new Set(shared).size, 1);
  assert.equal(shared[0]?.text, text);
  const other = internText(`${text}!`);
  assert.notEqual(other, shared[0]);
  assert.equal(other.text, `${text}!`);
});

test("a short text is not interned", () => {
  const copies = readByMany("z".repeat(1_023), internText);
  assert.equal(new Set(copies).size, 30);
});
