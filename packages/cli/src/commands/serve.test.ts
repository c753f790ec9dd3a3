import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedLine } from "./serve.ts";

test("a server that was stopped says what the next start goes on with", () => {
  const line = (handedBack: number, waits = false) => stoppedLine({ handedBack, waits });
  assert.equal(line(0), "Stopped. Nothing was left unfinished.");
  assert.equal(line(0, true), "Stopped. What waits for an answer waits on.");
  assert.match(line(1), /^Stopped\. 1 run was handed back: .* with it\.$/);
  assert.match(
    line(3, true),
    /^Stopped\. 3 runs were handed back: .* with them\. What waits .* on\.$/,
  );
});
