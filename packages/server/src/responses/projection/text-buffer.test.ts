import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { createTextBuffer } from "./text-buffer.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const anyDelta = fc
  .tuple(fc.string({ unit: "binary", maxLength: 5 }), fc.constantFrom(1, 1, 300, 5_000))
  .map(([text, times]) => text.repeat(times));

test("it is what was appended, and becomes a whole that begins with it", () => {
  fc.assert(
    fc.property(fc.array(anyDelta), anyDelta, fc.boolean(), (deltas, more, looksBetween) => {
      const growing = createTextBuffer();
      let text = "";
      for (const delta of deltas) {
        growing.append(delta);
        text += delta;
        if (looksBetween) assert.ok(growing.whole() === text);
      }
      assert.equal(growing.isEmpty(), text === "");
      const other = `other ${text}`;
      if (!other.startsWith(text)) assert.equal(growing.complete(other), undefined);
      assert.ok(growing.whole() === text);
      assert.ok(growing.complete(text + more) === more);
      assert.ok(growing.whole() === text + more);
      growing.append("!");
      assert.ok(growing.whole() === `${text}${more}!`);
    }),
  );
});

test("many who gather one text hold it once, as it grows, as it is looked at, and in the end", () => {
  // Each has deltas of its own, as from a read of its own.
  const deltasOf = () => Array.from({ length: 2_000 }, (_, n) => `${n} `.padEnd(1_000, "x"));
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 30 }, () => createTextBuffer());
  const grown = () => {
    collect();
    return process.memoryUsage().heapUsed - before;
  };
  for (const growing of kept) for (const delta of deltasOf()) growing.append(delta);
  assert.ok(grown() < 25_000_000, `gathered, it takes ${grown()} bytes`);
  for (const growing of kept) assert.equal(growing.whole().length, 2_000_000);
  assert.ok(grown() < 25_000_000, `looked at, it takes ${grown()} bytes`);
  for (const growing of kept) assert.equal(growing.complete(`${deltasOf().join("")}end`), "end");
  assert.ok(grown() < 25_000_000, `whole, it takes ${grown()} bytes`);
  assert.ok(kept.every((growing) => growing.whole().endsWith("end")));
});
