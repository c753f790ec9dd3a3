import assert from "node:assert/strict";
import { test } from "node:test";
import { tellProgress } from "./tell-progress.ts";

test("the progress of a long proof is printed at intervals, and of a short proof never", () => {
  let now = 5_000;
  const lines: string[] = [];
  const tell = tellProgress({ times: 8, say: (line) => lines.push(line), now: () => now });
  for (let done = 1; done <= 8; done++) {
    now += 4_000;
    tell(done);
  }
  assert.deepEqual(lines, ["  round 3 of 8, 12 s\n", "  round 6 of 8, 24 s\n"]);
});
