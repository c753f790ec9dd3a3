import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createTextBuffer, internText } from "./text-items.ts";

const anyDelta = fc
  .tuple(fc.string({ unit: "binary", maxLength: 5 }), fc.constantFrom(1, 1, 300, 5_000))
  .map(([text, times]) => text.repeat(times));

test("contains the appended text and accepts a whole text that begins with it", () => {
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

test("buffers of one text share its pieces and its whole, however its deltas are cut", () => {
  const text = Array.from({ length: 200 }, (_, n) => `${n} `.padEnd(1_000, "x")).join("");
  const interned = new Set<string>();
  const intern = (part: string) => {
    interned.add(part);
    return internText(part);
  };
  const buffers = Array.from({ length: 30 }, () => createTextBuffer(intern));
  for (const [n, buffer] of buffers.entries()) {
    const size = 200 * (n + 1);
    for (let at = 0; at < text.length; at += size) buffer.append(text.slice(at, at + size));
  }
  const pieces = [...interned];
  assert.equal(pieces.length, Math.floor(text.length / 4_096));
  assert.ok(text.startsWith(pieces.join("")));
  for (const buffer of buffers) assert.ok(buffer.whole() === text);
  for (const buffer of buffers) assert.equal(buffer.complete(`${text}end`), "end");
  for (const buffer of buffers) assert.ok(buffer.whole() === `${text}end`);
  assert.deepEqual([...interned], [...pieces, text, `${text}end`]);
});
