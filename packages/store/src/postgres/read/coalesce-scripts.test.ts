import assert from "node:assert/strict";
import { test } from "node:test";
import { first, type Script } from "../../sql/script.ts";
import { runScript } from "../wire/run-script.ts";
import { coalesceScripts } from "./coalesce-scripts.ts";

/** A snapshot whose every statement has one row: its own text. */
function snapshots() {
  const messages: (readonly string[])[] = [];
  const snapshot = <T>(script: () => Script<T>): Promise<T> =>
    runScript(script(), async (statements) => {
      messages.push(statements.map(({ text }) => text));
      return statements.map(({ text }) => [{ text }]);
    });
  return { messages, snapshot };
}

function* textOf(...texts: readonly string[]): Script<string> {
  const found: string[] = [];
  for (const text of texts) found.push((yield* first<{ text: string }>(text))?.text ?? "");
  return found.join();
}

function* damaged(): Script<string> {
  yield* first("damaged");
  throw new Error("a damaged row");
}

test("reads that are asked for in one turn go over together, however many statements each has", async () => {
  const { messages, snapshot } = snapshots();
  const read = coalesceScripts(snapshot);
  const texts = await Promise.all([read(() => textOf("a", "b")), read(() => textOf("c"))]);
  assert.deepEqual(texts, ["a,b", "c"]);
  assert.ok(messages.length < 3, "fewer messages than statements");
});

test("a read that fails fails alone", async () => {
  const { snapshot } = snapshots();
  const read = coalesceScripts(snapshot);
  const [good, bad] = await Promise.allSettled([read(() => textOf("a")), read(damaged)]);
  assert.deepEqual(good, { status: "fulfilled", value: "a" });
  assert.equal(bad.status, "rejected");
});
