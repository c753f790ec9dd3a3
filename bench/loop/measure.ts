// Measures one subject; subject-process.ts starts it and sends it one turn at a time.
import { setImmediate as nextTick } from "node:timers/promises";
import { answer, type LoopSubject } from "./subject.ts";
import type { LoopTurn } from "./subject-process.ts";

const [module] = process.argv.slice(2);
const { prepare } = (await import(`./${module}.ts`)) as { readonly prepare: LoopSubject };
process.on("message", (turn: LoopTurn) => void answerTurn(turn));

/** Sends the times to the parent process. A failure ends this process, which the parent reports. */
async function answerTurn(turn: LoopTurn): Promise<void> {
  process.send?.(await measure(turn));
}

/** Returns the times of the whole runs in milliseconds; nothing is subtracted. */
async function measure({ script, repetitions, ms }: LoopTurn): Promise<readonly number[]> {
  const times: number[] = [];
  const until = performance.now() + ms;
  while (times.length < repetitions || performance.now() < until) {
    const run = prepare(script);
    await nextTick();
    const started = performance.now();
    const outcome = await run();
    times.push(performance.now() - started);
    if (outcome.executed !== script.rounds * script.calls || outcome.answer !== answer) {
      throw new Error(`${module} did not do the work: ${JSON.stringify({ script, outcome })}`);
    }
  }
  return times;
}
