import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { newSeed, randomOf } from "../breaking/random.ts";
import { combinations } from "../breaking/stores/combinations.ts";
import { type Attack, Report, runAttack } from "./attack.ts";

/** A test of the short form of npm run test:attack: one round of an attack, on its first database. */
export const short =
  (attack: Attack) =>
  async (t: TestContext): Promise<void> => {
    for (const combination of combinations.filter(({ name }) => name === attack.on[0]))
      await t.test(
        combination.name,
        { skip: attack.skip?.() ?? combination.skip(false) ?? false, timeout: 300_000 },
        async () => {
          const seed = newSeed();
          const report = new Report();
          await runAttack(attack, { combination, random: randomOf(seed), report, minutes: 0 });
          const again = `npm run test:attack -- --only ${attack.name} --seed ${seed}`;
          assert.deepEqual(report.problems, [], again);
        },
      );
  };
