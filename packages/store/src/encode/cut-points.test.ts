import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addDelta, type CutText, decodeCuts, type Delta } from "./cut-points.ts";

const cutsOf = (deltas: readonly Delta[]) =>
  deltas.reduce<CutText | undefined>(addDelta, undefined)?.cuts ?? "";

test("a stretch of consecutive numbers is written once", () => {
  const deltas = [
    { seq: 12, delta: "four" },
    { seq: 13, delta: "one" },
    { seq: 20, delta: "" },
  ];
  assert.equal(cutsOf(deltas), "12:4,3;20:0");
});

test("every delta comes back from the whole text, whatever it was cut through", () => {
  const anyText = fc
    .string({ unit: "binary", maxLength: 6 })
    .map((text) => text + "\u{1F600}".slice(0, text.length % 3));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyText, fc.integer({ min: 1, max: 3 })), { minLength: 1 }),
      (pieces) => {
        let seq = 0;
        const deltas = pieces.map(([delta, step]) => ({ seq: (seq += step), delta }));
        const text = deltas.map((each) => each.delta).join("");
        assert.deepEqual(decodeCuts(cutsOf(deltas), text), deltas);
      },
    ),
  );
});
