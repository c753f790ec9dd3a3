import assert from "node:assert/strict";
import { test } from "node:test";
import { plainSql } from "../testing/plain-statement.ts";
import { all, first, type Script, together } from "./script.ts";

/**
 * Answers each statement with a row that names it.
 *
 * @returns the result and the requested statements, step by step
 */
function answer<T>(script: Script<T>): { readonly result: T; readonly asked: string[][] } {
  const asked: string[][] = [];
  let step = script.next([]);
  while (step.done !== true) {
    asked.push(step.value.map(({ sql }) => sql.sqlite));
    step = script.next(step.value.map(({ sql }) => [{ text: sql.sqlite }]));
  }
  return { result: step.value, asked };
}

function* chain(...texts: readonly string[]): Script<readonly string[]> {
  const seen: string[] = [];
  for (const text of texts) seen.push((yield* first(plainSql<{ text: string }>(text)))?.text ?? "");
  return seen;
}

test("combined scripts request their next statements together, and each receives its own rows", () => {
  const { result, asked } = answer(
    together([chain("a1", "a2", "a3"), chain(), chain("c1"), all(plainSql("d1"))]),
  );
  assert.deepEqual(asked, [["a1", "c1", "d1"], ["a2"], ["a3"]]);
  assert.deepEqual(result, [["a1", "a2", "a3"], [], ["c1"], [{ text: "d1" }]]);
});

test("combined scripts can be nested", () => {
  const inner = together([chain("b1", "b2"), chain("c1")]);
  const { result, asked } = answer(together([chain("a1"), inner]));
  assert.deepEqual(asked, [["a1", "b1", "c1"], ["b2"]]);
  assert.deepEqual(result, [["a1"], [["b1", "b2"], ["c1"]]]);
});
