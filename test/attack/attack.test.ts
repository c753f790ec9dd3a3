import assert from "node:assert/strict";
import { test } from "node:test";
import { newSeed, randomOf } from "../breaking/random.ts";
import { combinations } from "../breaking/stores/combinations.ts";
import { attacks } from "./attacks.ts";
import { startVictim } from "./victim.ts";

// The short form of npm run test:attack: one round of each attack.
for (const combination of combinations.filter(({ name }) => name !== "PostgreSQL and Redis"))
  for (const attack of attacks)
    test(
      `${attack.promise} (${combination.name})`,
      { skip: combination.skip(false) ?? false, timeout: 120_000 },
      async () => {
        const seed = newSeed();
        await using victim = await startVictim(combination);
        const problems = await attack.run({ victim, random: randomOf(seed), isOver: () => true });
        assert.deepEqual(
          problems,
          [],
          `npm run test:attack -- --only ${attack.name} --seed ${seed}`,
        );
      },
    );
