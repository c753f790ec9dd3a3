import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { withSourceCondition } from "../../scripts/source-condition.ts";
import type { LoopScript } from "./subject.ts";

/** One turn of a subject: it repeats the script until both minima are reached. */
export interface LoopTurn {
  readonly script: LoopScript;
  readonly repetitions: number;
  readonly ms: number;
}

/** A subject in its own process, which is idle between its turns. */
export interface SubjectProcess {
  /** Returns the times of the whole runs, in milliseconds. */
  measure(turn: LoopTurn): Promise<readonly number[]>;
  stop(): void;
}

const measureScript = fileURLToPath(new URL("measure.ts", import.meta.url));

/**
 * Starts a subject in its own process, so that no library's instrumentation or garbage affects
 * another.
 *
 * @param module the subject's module, relative to `loop/`, without its extension
 */
export function startSubject(module: string, signal: AbortSignal): SubjectProcess {
  // Both kinds of output go to standard error: standard output is for the figures.
  const child = fork(measureScript, [module], {
    env: withSourceCondition(),
    stdio: ["ignore", 2, 2, "ipc"],
    signal,
  });
  const failed = (async (): Promise<never> => {
    const [code] = (await once(child, "exit")) as [number | null];
    throw new Error(`The loop bench of ${module} ended with code ${code}.`);
  })();
  // A failure outside of a turn is reported by the next turn.
  failed.catch(() => {});
  return {
    measure: async (turn) => {
      const answered = once(child, "message") as Promise<[readonly number[]]>;
      child.send(turn);
      const [times] = await Promise.race([answered, failed]);
      return times;
    },
    stop: () => child.kill(),
  };
}
