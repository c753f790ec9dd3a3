import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedLine } from "./serve-until-stopped.ts";

test("a server that was stopped says what the next start goes on with", () => {
  assert.equal(stoppedLine(0), "Stopped. Nothing was left unfinished.");
  assert.match(stoppedLine(1), /^Stopped\. 1 run was handed back: .* with it\.$/);
  assert.match(stoppedLine(3), /^Stopped\. 3 runs were handed back: .* with them\.$/);
});
