import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dataSize, maxDataDepth, utf8Length } from "./variable-input.ts";

// Contract: variables-9
test("UTF-8 length agrees with the encoder, lone surrogates included", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "\ud83d", "\ude00") }),
      (text) => {
        const cut = text.slice(1);
        assert.equal(utf8Length(cut), new TextEncoder().encode(cut).length);
      },
    ),
  );
});

test("UTF-8 length agrees with the encoder beyond one chunk", () => {
  for (const [unit, bytes] of [
    ["a😀", 5],
    ["\ud83d", 3],
    ["日", 3],
  ] as const) {
    for (const shift of ["", "x"])
      assert.equal(utf8Length(shift + unit.repeat(50_000)), shift.length + bytes * 50_000);
  }
});

test("data that is not JSON has a reason and no size", () => {
  const circular: unknown[] = [];
  circular.push([circular]);
  let deep: unknown = 1;
  for (let i = 0; i <= maxDataDepth; i++) deep = [deep];
  for (const [data, reason] of [
    [circular, /itself/],
    [{ a: 1n }, /bigint/],
    [[() => 1], /function/],
    [[undefined], /undefined/],
    [deep, /deeper/],
  ] as const) {
    const size = dataSize(data, 1e6);
    assert.match(size.status === "refused" ? size.reason : "measured", reason);
  }
});

test("the same object twice is not a cycle", () => {
  const shared = { a: 1 };
  assert.equal(dataSize([shared, shared], 1e6).status, "measured");
});

test("measuring stops at the limit", () => {
  const shared = Array<string>(100_000).fill("x".repeat(1000));
  const huge = Array<unknown>(100_000).fill(shared);
  const start = performance.now();
  const size = dataSize(huge, 10_000);
  assert.ok(size.status === "measured" && size.bytes > 10_000);
  assert.ok(performance.now() - start < 10_000);
});
