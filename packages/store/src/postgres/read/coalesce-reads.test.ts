import assert from "node:assert/strict";
import { test } from "node:test";
import { first, type Script } from "../../sql/script.ts";
import { plainSql } from "../../testing/plain-statement.ts";
import { runScript } from "../wire/statements.ts";
import { coalesceReads, coalesceScripts } from "./coalesce-reads.ts";

test("queries of one turn, or during running batches, become one batch, in order", async () => {
  const lots: (readonly number[])[] = [];
  const under: PromiseWithResolvers<void>[] = [];
  const double = coalesceReads(async (numbers: readonly number[]) => {
    lots.push(numbers);
    const own = Promise.withResolvers<void>();
    under.push(own);
    await own.promise;
    return numbers.map((n) => n * 2);
  });
  const first = [double(1), double(2)];
  await new Promise((resolve) => setImmediate(resolve));
  const second = [double(3), double(4), double(5)];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(lots, [[1, 2]]);
  under[0]?.resolve();
  assert.deepEqual(await Promise.all(first), [2, 4]);
  under[1]?.resolve();
  assert.deepEqual(await Promise.all(second), [6, 8, 10]);
  assert.deepEqual(lots, [
    [1, 2],
    [3, 4, 5],
  ]);
});

test("retries a failed batch query by query, so that only the failing query rejects", async () => {
  const lots: (readonly string[])[] = [];
  const same = coalesceReads(async (texts: readonly string[]) => {
    lots.push(texts);
    if (texts.includes("bad")) throw new Error("no");
    return texts;
  });
  const [good, bad] = await Promise.allSettled([same("good"), same("bad")]);
  assert.deepEqual(good, { status: "fulfilled", value: "good" });
  assert.equal(bad.status, "rejected");
  assert.deepEqual(lots, [["good", "bad"], ["good"], ["bad"]]);
  assert.equal(await same("next"), "next");
});

/** A snapshot in which each statement has one row: its own text. */
function snapshots() {
  const messages: (readonly string[])[] = [];
  const snapshot = <T>(script: () => Script<T>): Promise<T> =>
    runScript(script(), async (statements) => {
      messages.push(statements.map(({ sql }) => sql.postgres));
      return statements.map(({ sql }) => [{ text: sql.postgres }]);
    });
  return { messages, snapshot };
}

function* textOf(...texts: readonly string[]): Script<string> {
  const found: string[] = [];
  for (const text of texts)
    found.push((yield* first(plainSql<{ text: string }>(text)))?.text ?? "");
  return found.join();
}

function* corrupt(): Script<string> {
  yield* first(plainSql("corrupt"));
  throw new Error("a corrupt row");
}

test("reads of one turn are sent together, for any numbers of statements", async () => {
  const { messages, snapshot } = snapshots();
  const read = coalesceScripts(snapshot);
  const texts = await Promise.all([read(() => textOf("a", "b")), read(() => textOf("c"))]);
  assert.deepEqual(texts, ["a,b", "c"]);
  assert.ok(messages.length < 3, "fewer messages than statements");
});

test("a failed read does not affect other reads", async () => {
  const { snapshot } = snapshots();
  const read = coalesceScripts(snapshot);
  const [good, bad] = await Promise.allSettled([read(() => textOf("a")), read(corrupt)]);
  assert.deepEqual(good, { status: "fulfilled", value: "a" });
  assert.equal(bad.status, "rejected");
});
