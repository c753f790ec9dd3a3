import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultGateLimits } from "./gate.ts";
import { ToolExecutor } from "../tool-executor.ts";

// Contract: loop-10
test("an invalid gate limit is rejected with its name and allowed values", () => {
  for (const [limits, message] of [
    [{ outputChars: -1 }, /limits\.outputChars must be a whole number of at least 0/],
    [{ callsAtOnce: 0 }, /limits\.callsAtOnce must be a whole number of at least 1/],
    [{ subCalls: 1.5 }, /limits\.subCalls .* not 1\.5/],
    [{ toolTimeoutMs: "60" }, /limits\.toolTimeoutMs .* not "60"/],
    [{ approvalMs: Number.NaN }, /limits\.approvalMs/],
    [{ callsAtOne: 4 }, /not an executor limit\. Did you mean callsAtOnce\?/],
  ] as const)
    assert.throws(() => new ToolExecutor({ limits: limits as never }), {
      code: "invalid_limits",
      message,
    });
  const { gate } = new ToolExecutor({ limits: { subCalls: Infinity } });
  assert.deepEqual(gate.limits, { ...defaultGateLimits, subCalls: Infinity });
});
