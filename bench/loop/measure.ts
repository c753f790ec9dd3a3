// Measures one subject in a process of its own, so that no library's instrumentation or garbage
// weighs on another: node --expose-gc bench/loop/measure.ts SUBJECT REPETITIONS
import { setImmediate as nextTurn } from "node:timers/promises";
import { median } from "../figure.ts";
import { answer, type LoopScript, type LoopSubject } from "./subject.ts";

const [module, repetitions] = process.argv.slice(2);
const warmUps = 3;

const { runLoop } = (await import(`./${module}.ts`)) as { readonly runLoop: LoopSubject };
const sequential = await measure({ rounds: 200, calls: 1 });
const parallel = await measure({ rounds: 1, calls: 100 });
process.stdout.write(JSON.stringify({ sequential, parallel }));

/** The median of a whole run, in milliseconds; nothing is subtracted. */
async function measure(script: LoopScript): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < warmUps + Number(repetitions); index += 1) {
    globalThis.gc?.();
    await nextTurn();
    const started = performance.now();
    const outcome = await runLoop(script);
    const elapsed = performance.now() - started;
    if (outcome.executed !== script.rounds * script.calls || outcome.answer !== answer) {
      throw new Error(`${module} did not do the work: ${JSON.stringify({ script, outcome })}`);
    }
    if (index >= warmUps) times.push(elapsed);
  }
  return median(times);
}
