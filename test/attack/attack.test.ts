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

test(
  "no route shows or changes what another user has, or acts without the right it needs",
  short(principals),
);
test(
  "no call runs without the answer of a user with the right, and none runs with another user's arguments",
  short(forgeries),
);
test(
  "requests that are nearly right never fail the server, hang, or leave a run in disorder",
  short(fuzzer),
);
test(
  "no address reaches a private network, however it is written and whatever leads to it",
  short(ssrf),
);
test(
  "clients that disconnect at any byte start no run twice, and read each event once",
  short(disconnects),
);

test("damage on the disk is named, and hides nothing but itself", short(disk));

test("text from outside runs and loads nothing, wherever the page shows it", short(payloads));

test("--only, --on, --seed and --for choose, and without them all attacks run", () => {
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
  test(`"${args.join(" ")}" is answered with what there is`, () => {
    const asked = readCommandLine(args);
    assert(asked.status === "unclear");
    assert.match(asked.text, /fuzzer/);
  });
