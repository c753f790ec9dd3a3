import { runTests } from "../../scripts/testing/run-tests.ts";
import type { Proof } from "../breaking/proof.ts";
import { openProvingGround } from "../breaking/proving-ground.ts";
import { type Attack, bothDatabases } from "./attack.ts";

/**
 * An attack that test files are. They run once, whatever the minutes, on the databases that they choose themselves;
 * their property tests take the seed.
 */
export function testFiles({
  name,
  title,
  files,
}: Pick<Attack, "name" | "title"> & { readonly files: readonly string[] }): Attack {
  return {
    name,
    title,
    on: ["SQLite"],
    minutes: "once",
    async run({ random, report }) {
      process.env["PROPERTY_SEED"] = String(random.seed);
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

/** An attack that a proof of `npm run test:breaking` is. */
export function provenBy(
  proof: Proof,
  { name, minutes }: Pick<Attack, "name" | "minutes">,
): Attack {
  return {
    name,
    title: proof.title,
    on: bothDatabases,
    minutes,
    async run({ combination, random, report, goesOn }) {
      await using ground = await openProvingGround({ combination, seed: random.seed });
      let isMissing: readonly string[];
      do {
        const { runs, calls, problems, missing } = await ground.prove(proof, proof.quickly, () =>
          report.count("breaks"),
        );
        report.count("runs", runs);
        report.count("calls", calls);
        for (const problem of problems) report.problem(problem);
        isMissing = missing;
        // Of few rounds chance may leave no sign.
      } while (goesOn() || (isMissing.length > 0 && report.problems.length === 0));
    },
  };
}
