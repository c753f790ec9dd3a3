// Measures one subject in a process of its own, so that no library's instrumentation or garbage
// weighs on another: node bench/loop/measure.ts SUBJECT REPETITIONS
import { setImmediate as nextTurn } from "node:timers/promises";
import { median } from "../figure.ts";
import { answer, type LoopScript, type LoopSubject } from "./subject.ts";

const [module, repetitions] = process.argv.slice(2);
/** Repetitions go on at least so long, so that quick subjects are as warm as slow ones. */
const warmUp = { repetitions: 3, ms: 1_000 };
const measured = { repetitions: Number(repetitions), ms: 2_000 };

const { prepare } = (await import(`./${module}.ts`)) as { readonly prepare: LoopSubject };
const sequential = await measure({ rounds: 200, calls: 1 });
const parallel = await measure({ rounds: 1, calls: 100 });
process.stdout.write(JSON.stringify({ sequential, parallel }));

/** The median of a whole run, in milliseconds; nothing is subtracted. */
async function measure(script: LoopScript): Promise<number> {
  await repeat(script, warmUp);
  return median(await repeat(script, measured));
}

async function repeat(script: LoopScript, least: typeof warmUp): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + least.ms;
  while (times.length < least.repetitions || performance.now() < until) {
    const run = prepare(script);
    await nextTurn();
    const started = performance.now();
    const outcome = await run();
    times.push(performance.now() - started);
    if (outcome.executed !== script.rounds * script.calls || outcome.answer !== answer) {
      throw new Error(`${module} did not do the work: ${JSON.stringify({ script, outcome })}`);
    }
  }
  return times;
}
