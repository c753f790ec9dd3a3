import { asking, tool } from "@capstan/server/testing";
import { manyAtOnce } from "./many-at-once.ts";
import { callsARound, rounds } from "./scripted-model.ts";

/**
 * The tools of the scripted model. They count their calls, so that the bench can check that whole
 * runs made all of them.
 */
export function countedWork() {
  let executed = 0;
  const work = () => {
    executed += 1;
    return "The result of some work, as a line of text.";
  };

  /** Executes whole runs, a number of them at the same time. @returns how long they took, in ms */
  async function many(count: number, atOnce: number, one: () => Promise<unknown>): Promise<number> {
    executed = 0;
    const ms = await manyAtOnce(count, atOnce, one);
    if (executed !== count * rounds * callsARound) throw new Error(`${executed} calls were run.`);
    return ms;
  }

  return { tools: [tool("Work", work), asking("Ask", work)], many };
}
