// npm run test:breaking [-- NAME…] [--on COMBINATION] [--seed N] [--times N] [--write]: runs all
// proofs: each breaks nodes in one way, and then audits their state. NAME is a part of a proof's
// name.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/command.ts";
import { ensureStores } from "../../scripts/testing/install-stores.ts";
import { cannotRun, type Combination } from "./stores/combinations.ts";
import { readCommandLine } from "./command-line.ts";
import { exitOnSignals } from "./exit-on-signals.ts";
import type { Proof } from "./proof.ts";
import { proofs } from "./proofs.ts";
import { openProvingGround } from "./proving-ground.ts";
import { newSeed } from "./random.ts";
import { type Result, withResults } from "./report/results-table.ts";
import { cannotMount } from "./stores/small-disk.ts";
import { tellProgress } from "./report/tell-progress.ts";

const asked = readCommandLine(process.argv.slice(2));
if (asked.status !== "clear") {
  say(asked.text);
  process.exit(asked.status === "help" ? 0 : 2);
}
const { on, write, ...given } = asked;

await ensureStores();
exitOnSignals();
const results: Result[] = [];
let failed = 0;
let skipped = 0;
for (const proof of given.proofs)
  for (const combination of on)
    if (proof.on.includes(combination.name)) await tryOn(proof, combination);
if (write) await writeTable();
say(`${results.length - failed} held, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function tryOn(proof: Proof, combination: Combination): Promise<void> {
  const where = `${proof.name} on ${combination.name}`;
  const reason = cannotRun(proof, combination);
  if (reason !== undefined) {
    skipped += 1;
    return say(`${where}: skipped, ${reason}\n`);
  }
  const { seed, times } = { seed: given.seed ?? newSeed(), times: given.times ?? proof.times };
  const by = proof.needsDisk === true && cannotMount() !== undefined ? " by a limit of pages" : "";
  say(`${where}${by}: seed ${seed}, ${times} times\n`);
  const started = performance.now();
  const problems = await problemsOf(proof, combination, seed, times);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  say(problems.length === 0 ? `  held (${seconds} s)\n` : `  FAILED (${seconds} s)\n`);
  for (const problem of problems) say(`  ${problem}\n`);
  if (problems.length > 0) failed += 1;
  const date = new Date().toISOString().slice(0, 10);
  const held = problems.length === 0 ? "held" : "**failed**";
  const text = `${times} times${by}, seed ${seed}: ${held}, ${date}`;
  results.push({ proof, combination: combination.name, text });
}

async function problemsOf(
  proof: Proof,
  combination: Combination,
  seed: number,
  times: number,
): Promise<readonly string[]> {
  try {
    const smallDisk = proof.needsDisk === true;
    await using ground = await openProvingGround({ combination, seed, smallDisk });
    const progress = tellProgress({ times, say });
    const { runs, calls, unknown, ...found } = await ground.prove(proof, times, progress);
    say(`  ${runs} runs, ${calls} calls, ${unknown} of unknown outcome\n`);
    return [...found.problems, ...found.missing];
  } catch (thrown) {
    return [
      thrown instanceof Error ? `${thrown.message}\n${String(thrown.cause)}` : String(thrown),
    ];
  }
}

async function writeTable(): Promise<void> {
  const path = join(root, "docs/reference/durability.md");
  await writeFile(path, withResults(await readFile(path, "utf8"), proofs, results));
}

function say(text: string): void {
  process.stdout.write(text);
}
