import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

test("the library example asks, runs its tool and shows the answer", async () => {
  const { stdout } = await run(process.execPath, ["examples/library.ts"]);
  assert.match(stdout, /May Weather run with \{"town":"Bergen"\}\?/);
  assert.match(stdout, /success in \d+ ms/);
  assert.match(stdout, /clear/);
  assert.match(stdout, /Kept as: Weather_1/);
});
