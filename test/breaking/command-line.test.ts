import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "./command-line.ts";

test("without arguments, every proof is selected on every combination", () => {
  const asked = readCommandLine([]);
  assert(asked.status === "clear");
  assert(asked.proofs.length > 5);
  assert.equal(asked.on.length, 3);
  assert.equal(asked.times, undefined);
});

test("a part of a name and a combination select proofs", () => {
  const asked = readCommandLine(["two-no", "--on", "PostgreSQL", "--times", "3", "--seed", "7"]);
  assert(asked.status === "clear");
  assert.deepEqual(
    asked.proofs.map(({ name }) => name),
    ["two-nodes"],
  );
  assert.deepEqual(
    asked.on.map(({ name }) => name),
    ["PostgreSQL"],
  );
  assert.deepEqual([asked.times, asked.seed], [3, 7]);
});

test("--help names the proofs and the options", () => {
  const asked = readCommandLine(["--help"]);
  assert(asked.status === "help");
  assert.match(asked.text, /two-nodes/);
  assert.match(asked.text, /--times N/);
});

for (const args of [["no-such"], ["--on", "Oracle"], ["--times", "0"], ["--seed", "x"], ["--what"]])
  test(`"${args.join(" ")}" is rejected with a list of the choices`, () => {
    const asked = readCommandLine(args);
    assert(asked.status === "unclear");
    assert.match(asked.text, /PostgreSQL/);
  });
