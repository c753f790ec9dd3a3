import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** Measurements of a process since the last ones. */
export interface Usage {
  /** The processor time of all its threads, in µs. */
  readonly processorUs: number;
  /** The longest gap of its event loop, in ms. */
  readonly gapMs: number;
}

/** A server in a process of its own. */
export interface StartedProcess {
  readonly url: string;
  /** Returns the measurements since the last call. */
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** Starts a program of this folder that calls `serveUsage`. */
export async function startProcess(
  script: string,
  args: readonly string[] = [],
): Promise<StartedProcess> {
  const child = fork(new URL(script, import.meta.url), args, {
    // The program that starts it prints figures to its standard output.
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const url = (await answerOf(child)) as string;
  return {
    url,
    usage: async () => {
      const answer = answerOf(child);
      child.send("usage");
      return (await answer) as Usage;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.send("stop");
      await exited;
    },
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const exited = once(child, "exit", { signal: stop.signal }).then(([code]) => {
    throw new Error(`${child.spawnfile} ended with code ${String(code)}.`);
  });
  try {
    const [answer] = (await Promise.race([once(child, "message"), exited])) as [unknown];
    return answer;
  } finally {
    stop.abort();
    exited.catch(() => {});
  }
}
