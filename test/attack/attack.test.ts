import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { newSeed, randomOf } from "../breaking/random.ts";
import { combinations } from "../breaking/stores/combinations.ts";
import { type Attack, Report, runAttack } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { disk } from "./attacks/disk.ts";
import { disconnects } from "./attacks/disconnects.ts";
import { forgeries } from "./attacks/forgeries.ts";
import { fuzzer } from "./attacks/fuzzer.ts";
import { payloads } from "./attacks/payloads.ts";
import { principals } from "./attacks/principals.ts";
import { ssrf } from "./attacks/ssrf.ts";
import { readCommandLine } from "./command-line.ts";

// The short form of npm run test:attack: one round of each attack that no other test runs, on its first database.
const short =
  (attack: Attack) =>
  async (t: TestContext): Promise<void> => {
    for (const combination of combinations.filter(({ name }) => name === attack.on[0]))
      await t.test(
        combination.name,
        { skip: attack.skip?.() ?? combination.skip(false) ?? false, timeout: 120_000 },
        async () => {
          const seed = newSeed();
          const report = new Report();
          await runAttack(attack, { combination, random: randomOf(seed), report, minutes: 0 });
          const again = `npm run test:attack -- --only ${attack.name} --seed ${seed}`;
          assert.deepEqual(report.problems, [], again);
        },
      );
  };

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
test(
  "no address reaches a private network, in any notation, after any redirect or name resolution",
  short(ssrf),
);
test(
  "clients that disconnect at any byte start no run twice and read each event once",
  short(disconnects),
);

test("damage on the disk is reported, and intact data remains readable", short(disk));

test("external text runs and loads nothing anywhere on the page", short(payloads));

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
