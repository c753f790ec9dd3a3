import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitEvents } from "./split-events.ts";

test("the pieces of a stream do not change its events", async () => {
  const text = fc.array(fc.constantFrom("a", "data: 1", "\n", "\n\n"), { maxLength: 30 });
  const cuts = fc.array(fc.nat(100), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(text, cuts, async (parts, at) => {
      const whole = parts.join("");
      const ends = [0, ...at.filter((one) => one < whole.length).toSorted((a, b) => a - b)];
      const pieces = ends.map((from, index) => whole.slice(from, ends[index + 1]));
      assert.deepEqual(
        await Array.fromAsync(splitEvents(pieces)),
        await Array.fromAsync(splitEvents([whole])),
      );
      assert.deepEqual(
        await Array.fromAsync(splitEvents([whole])),
        whole.split("\n\n").slice(0, -1),
      );
    }),
  );
});

test("a long event in many pieces is read in linear time", async () => {
  const pieces = Array.from({ length: 20_000 }, () => "x".repeat(2_000));
  const started = performance.now();
  const [event] = await Array.fromAsync(splitEvents([...pieces, "\n\n"]));
  assert.equal(event?.length, 40_000_000);
  assert.ok(performance.now() - started < 10_000);
});
