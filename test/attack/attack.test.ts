import assert from "node:assert/strict";
import { test } from "node:test";
import { newSeed, randomOf } from "../breaking/random.ts";
import { combinations } from "../breaking/stores/combinations.ts";
import type { Attack } from "./attack.ts";
import { forgeries } from "./attacks/forgeries.ts";
import { fuzzer } from "./attacks/fuzzer.ts";
import { principals } from "./attacks/principals.ts";
import { startVictim } from "./victim.ts";

// The short form of npm run test:attack: one round of each attack.
function everyStore(name: string, attack: Attack): void {
  for (const combination of combinations.filter((each) => each.name !== "PostgreSQL and Redis"))
    test(
      `${name} (${combination.name})`,
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
}

everyStore(
  "no route shows or changes what another user has, or acts without the right it needs",
  principals,
);
everyStore(
  "no call runs without the answer of a user who may give it, and none runs as somebody else wrote it",
  forgeries,
);
everyStore(
  "requests that are nearly right never fail the server, hang, or leave a run in disorder",
  fuzzer,
);
