import { runTests } from "../../scripts/testing/run-tests.ts";
import type { Proof } from "../breaking/proof.ts";
import { openProvingGround } from "../breaking/proving-ground.ts";
import { testedDatabaseUrl } from "../tested-database.ts";
import { type Attack, bothDatabases } from "./attack.ts";

/**
 * An attack that consists of test files. They run once, whatever `--for` says. Their property tests
 * use the seed.
 *
 * @param options.on the databases for which the files read `tested-database.ts`
 * @default SQLite, or the databases that the files select
 */
export function testFiles({
  name,
  title,
  files,
  on = ["SQLite"],
}: Pick<Attack, "name" | "title"> & {
  readonly files: readonly string[];
  readonly on?: Attack["on"];
}): Attack {
  return {
    name,
    title,
    on,
    minutes: "once",
    async run({ combination, random, report }) {
      await using backing = await combination.open(false);
      process.env["PROPERTY_SEED"] = String(random.seed);
      process.env[testedDatabaseUrl] = backing.environment["CAPSTAN_DATABASE_URL"] ?? "";
      const { totals } = await runTests({
        files,
        isolation: "process",
        concurrency: 1,
        limitMs: 1_200_000,
        print: (text) => report.problem(text),
      });
      report.count("tests", totals.passed);
      for (const [reason, count] of Object.entries(totals.skipped))
        report.count(`skipped (${reason})`, count);
      if (totals.failed > 0) report.problem(`${totals.failed} tests failed: ${files.join(", ")}`);
      if (totals.passed === 0) report.problem(`No test ran: ${files.join(", ")}`);
    },
  };
}

/** The number of faults between two audits at full length. */
const breaksAtATime = 20;

/**
 * An attack that runs a proof of `npm run test:breaking`. At full length it injects as many faults
 * as the proof.
 */
export function provenBy(proof: Proof, { name }: Pick<Attack, "name">): Attack {
  return {
    name,
    title: proof.title,
    on: bothDatabases,
    minutes: "once",
    length: `${proof.times} breaks`,
    async run({ combination, random, report, goesOn, isAtFullLength }) {
      await using ground = await openProvingGround({ combination, seed: random.seed });
      let breaks = 0;
      let isMissing: readonly string[];
      const isShort = () =>
        isAtFullLength
          ? breaks < proof.times && !report.isFull
          : // In a few rounds the effect may not occur by chance.
            goesOn() || (isMissing.length > 0 && report.problems.length === 0);
      do {
        const times = isAtFullLength
          ? Math.min(breaksAtATime, proof.times - breaks)
          : proof.quickly;
        const { runs, calls, problems, missing } = await ground.prove(proof, times, () => {
          breaks += 1;
          report.count("breaks");
        });
        report.count("runs", runs);
        report.count("calls", calls);
        for (const problem of problems) report.problem(problem);
        isMissing = missing;
      } while (isShort());
    },
  };
}
