import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitionsInTurn } from "./part.ts";

test("repetitions are spread over three turns, and none is lost", () => {
  for (const [repetitions, turns] of [
    [1, [1, 0, 0]],
    [2, [1, 1, 0]],
    [6, [2, 2, 2]],
    [200, [67, 67, 66]],
  ] as const)
    assert.deepEqual(
      [0, 1, 2].map((turn) => repetitionsInTurn(repetitions, turn)),
      turns,
    );
});
