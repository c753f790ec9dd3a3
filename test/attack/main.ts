// npm run test:attack [-- --seed N] [--for MINUTES] [--only NAME] [--on COMBINATION]: attacks servers in every way
// that there is an attack for. MINUTES, 2 by default, are for each attack on each database.
import { parseArgs } from "node:util";
import { ensureBubblewrap } from "../../scripts/testing/install-bubblewrap.ts";
import { ensureStores } from "../../scripts/testing/install-stores.ts";
import { exitOnSignals } from "../breaking/exit-on-signals.ts";
import { newSeed, randomOf } from "../breaking/random.ts";
import { combinations } from "../breaking/stores/combinations.ts";
import { attacks } from "./attacks.ts";
import { startVictim } from "./victim.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    for: { type: "string", default: "2" },
    only: { type: "string", default: "" },
    on: { type: "string" },
  },
});
const seed = values.seed === undefined ? newSeed() : Number(values.seed);
const minutes = Number(values.for);
const chosen = attacks.filter(({ name }) => name.includes(values.only));
const databases = combinations.filter(({ name }) =>
  values.on === undefined ? name !== "PostgreSQL and Redis" : name === values.on,
);
if (!Number.isSafeInteger(seed) || !(minutes >= 0) || chosen.length * databases.length === 0) {
  say(
    `--seed N and --for MINUTES are numbers, --only is a part of ${attacks.map(({ name }) => name).join(", ")}, --on one of ${combinations.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}

await ensureBubblewrap();
await ensureStores();
exitOnSignals();
let failed = 0;
let skipped = 0;
for (const combination of databases)
  for (const attack of chosen) {
    const where = `${attack.name} on ${combination.name}`;
    const reason = combination.skip(false);
    if (reason !== undefined) {
      skipped += 1;
      say(`${where}: skipped, ${reason}`);
      continue;
    }
    const started = performance.now();
    const isOver = () => performance.now() - started > minutes * 60_000;
    const problems = await problemsOf();
    const seconds = ((performance.now() - started) / 1_000).toFixed(0);
    say(`${where}: ${problems.length === 0 ? "held" : "FAILED"} (seed ${seed}, ${seconds} s)`);
    for (const problem of problems) say(`  ${problem}`);
    if (problems.length > 0) failed += 1;

    async function problemsOf(): Promise<readonly string[]> {
      try {
        await using victim = await startVictim(combination);
        return await attack.run({ victim, random: randomOf(seed), isOver });
      } catch (thrown) {
        return [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)];
      }
    }
  }
say(
  `${chosen.length * databases.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`,
);
process.exitCode = failed === 0 ? 0 : 1;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
