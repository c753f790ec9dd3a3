import assert from "node:assert/strict";
import { after, type TestContext } from "node:test";
import type { CombinationName } from "./stores/combination-name.ts";
import { cannotRun, combinations } from "./stores/combinations.ts";
import type { Proof } from "./proof.ts";
import { openProvingGround, type ProvingGround } from "./proving-ground.ts";
import { newSeed } from "./random.ts";

/**
 * Defines the proofs of one combination as tests: a few rounds of each, one after another on the
 * same nodes.
 *
 * @example const prove = provingOn("SQLite"); test(killed.test, prove(killed))
 */
export function provingOn(name: CombinationName) {
  const combination = combinations.find((one) => one.name === name);
  assert.ok(combination !== undefined);
  const seed = newSeed();
  let opened: Promise<ProvingGround> | undefined;
  after(async () => (await opened)?.[Symbol.asyncDispose]());

  return (proof: Proof) =>
    async (t: TestContext): Promise<void> => {
      assert.equal(t.name, proof.test);
      const reason = cannotRun(proof, combination);
      if (reason !== undefined) return t.skip(reason);
      // If a test hangs, only this output shows the seed.
      process.stdout.write(`${proof.name} on ${name}: seed ${seed}, ${proof.quickly} times\n`);
      const smallDisk = combination.skip(true) === undefined;
      opened ??= openProvingGround({ combination, seed, smallDisk });
      const ground = await opened;
      const again = `npm run test:breaking -- ${proof.name} --on "${name}" --seed ${seed}`;
      const prove = () =>
        ground.prove(proof, proof.quickly).catch((cause: unknown) => {
          throw new Error(`Try ${again}`, { cause });
        });
      let { problems, missing } = await prove();
      // In a few rounds the effect may not occur by chance.
      for (let more = 0; more < 4 && problems.length === 0 && missing.length > 0; more++)
        ({ problems, missing } = await prove());
      assert.deepEqual([...problems, ...missing], [], `Try ${again}`);
    };
}
