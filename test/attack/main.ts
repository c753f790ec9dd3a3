// npm run test:attack: runs all attacks on Capstan (see --help).
import { ensureBubblewrap } from "../../scripts/testing/install-bubblewrap.ts";
import { ensureBrowser } from "../../scripts/testing/install-chromium.ts";
import { ensureStores } from "../../scripts/testing/install-stores.ts";
import { exitOnSignals } from "../breaking/exit-on-signals.ts";
import { randomOf } from "../breaking/random.ts";
import type { Combination } from "../breaking/stores/combinations.ts";
import { type Attack, Report, runAttack } from "./attack.ts";
import { readCommandLine } from "./command-line.ts";

const asked = readCommandLine(process.argv.slice(2));
if (asked.status !== "clear") {
  process.stdout.write(asked.text);
  process.exit(asked.status === "told" ? 0 : 2);
}
const { seed, minutes } = asked;
const counts = { passed: 0, failed: 0, skipped: 0 };
const table: string[] = [];

await ensureBubblewrap();
await ensureStores();
await ensureBrowser();
exitOnSignals();
say(`seed ${seed}`);
for (const attack of asked.attacks)
  for (const combination of asked.on)
    if (attack.on.includes(combination.name)) await tryOn(attack, combination);
say(`\n${table.join("\n")}\n`);
say(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
// Exit explicitly, because an attack may have left handles open.
process.exit(counts.failed === 0 ? 0 : 1);

async function tryOn(attack: Attack, combination: Combination): Promise<void> {
  const report = new Report();
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1_000).toFixed(0)} s`;
  const where = `${attack.name} on ${combination.name}`;
  const row = (outcome: "passed" | "failed" | "skipped", text: string) => {
    counts[outcome] += 1;
    table.push(
      `${attack.name.padEnd(12)}${combination.name.padEnd(12)}${outcome.padEnd(9)}${seconds().padStart(7)}  ${text}`,
    );
    say(`${where}: ${outcome}, ${text}`);
  };
  const reason = attack.skip?.() ?? combination.skip(false);
  if (reason !== undefined) return row("skipped", reason);
  say(`${where}: ${attack.title}`);
  const progress = setInterval(() => say(`  ${seconds()}: ${report.counts}`), 15_000);
  await runAttack(attack, {
    combination,
    random: randomOf(seed),
    report,
    ...(minutes !== undefined && { minutes }),
  });
  clearInterval(progress);
  if (report.problems.length === 0) return row("passed", report.counts);
  row("failed", report.counts);
  for (const problem of report.problems) say(`  ${problem}`);
  const again = `npm run test:attack -- --only ${attack.name} --on "${combination.name}" --seed ${seed}`;
  say(`  again: ${again}`);
  table.push(`${"".padEnd(12)}${again}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
