import type { Script, Statement } from "../../sql/script.ts";

/** Runs a script to its end, waiting for each answer. */
export async function runScript<T>(
  script: Script<T>,
  answer: (statements: readonly Statement[]) => Promise<readonly (readonly unknown[])[]>,
): Promise<T> {
  let step = script.next([]);
  while (step.done !== true) step = script.next(await answer(step.value));
  return step.value;
}
