import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedLine } from "./serve.ts";

test("a stopped server reports how many runs the next start continues", () => {
  const line = (handedBack: number, waits = false) => stoppedLine({ handedBack, waits });
  assert.equal(line(0), "Stopped. All runs have ended.");
  assert.equal(line(0, true), "Stopped. Pending approval requests stay open.");
  assert.match(line(1), /^Stopped\. 1 run did not end: .* continues it\.$/);
  assert.match(
    line(3, true),
    /^Stopped\. 3 runs did not end: .* continues them\. Pending approval requests .*\.$/,
  );
});
