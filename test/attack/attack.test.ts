import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "./attacks.ts";
import { forgeries } from "./attacks/forgeries.ts";
import { fuzzer } from "./attacks/fuzzer.ts";
import { principals } from "./attacks/principals.ts";
import { readCommandLine } from "./command-line.ts";
import { short } from "./short-attack.ts";

// Contract: openapi-4
test(
  "no route shows or changes another user's data, or acts without the required right",
  short(principals),
);

test(
  "no call runs without the approval of a user with the right, or with another user's arguments",
  short(forgeries),
);

test(
  "nearly valid requests never crash the server, hang, or leave a run in an invalid state",
  short(fuzzer),
);

test("--only, --on, --seed and --for select attacks; without them all attacks run", () => {
  const asked = readCommandLine(["--only", "fuzz", "--on", "SQLite", "--seed", "7", "--for", "0"]);
  assert(asked.status === "clear");
  const { on, seed, minutes } = asked;
  assert.deepEqual(
    [asked.attacks.map(({ name }) => name), on.map(({ name }) => name), seed, minutes],
    [["fuzzer"], ["SQLite"], 7, 0],
  );
  const all = readCommandLine([]);
  assert(all.status === "clear");
  assert.equal(all.attacks.length, attacks.length);
});

for (const args of [["--only", "x"], ["--on", "Oracle"], ["--for", "x"], ["--seed", "-"], ["--w"]])
  test(`"${args.join(" ")}" is rejected with a list of the choices`, () => {
    const asked = readCommandLine(args);
    assert(asked.status === "unclear");
    assert.match(asked.text, /fuzzer/);
  });
