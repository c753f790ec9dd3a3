import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSandbox, unconfined } from "@capstan/sandbox";
import { findPython, type Script } from "@capstan/scripts";
import { best, type Figure, measuredFigure, median } from "../figure.ts";
import { createCaller, writeNoOp } from "./no-op-script.ts";

const noOp = {
  language: "python",
  entry: "bench.py",
  source: "def no_op():\n    pass\n",
  name: "no_op",
} as const;

/** Calls that start their own process are slow, so fewer of them are measured. */
const warmCallsPerFresh = 10;

/** Measures calls through the gate, the worker pool and the sandbox. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  try {
    const { sandbox } = await findSandbox();
    const { warm, fresh } = await timeCalls(await writeNoOp(folder, noOp), repetitions);
    const { confined, plain } = await timeStarts(sandbox);
    const subject = sandbox.kind === "none" ? "capstan, no sandbox here" : "capstan";
    const label = (name: string, unit: string) => ({ case: name, subject, unit });
    const bestMs = (values: readonly number[]) => best(values, "ms");
    return [
      measuredFigure(label("no-op Python function, warm", "ms"), warm),
      measuredFigure(label("no-op Python function, fresh process", "ms"), fresh),
      {
        ...label("no-op Python function, fresh ÷ warm", "×"),
        best: bestMs(fresh) / bestMs(warm),
        median: median(fresh) / median(warm),
      },
      {
        ...label("added by the sandbox to starting a program", "ms"),
        best: bestMs(confined) - bestMs(plain),
        median: median(confined) - median(plain),
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the times of warm calls and of calls with a new process each, in ms, measured
 * alternately.
 */
async function timeCalls(script: Script, repetitions: number) {
  const warm = await callerOf(script, Number.POSITIVE_INFINITY);
  const fresh = await callerOf(script, 1);
  const times = { warm: [] as number[], fresh: [] as number[] };
  for (let n = 0; n < repetitions; n++) {
    times.warm.push(await warm.call());
    if (n % warmCallsPerFresh === 0) times.fresh.push(await fresh.call());
  }
  await Promise.all([warm.close(), fresh.close()]);
  return times;
}

/** Returns a function that calls the script and returns the time; the first call is already done. */
async function callerOf(script: Script, maxCalls: number) {
  const { call, close } = createCaller(script, {
    sandbox: (await findSandbox()).sandbox,
    python: () => findPython({}),
    pool: { maxCalls },
  });
  await call();
  return { call, close };
}

type Sandbox = Awaited<ReturnType<typeof findSandbox>>["sandbox"];

/**
 * Returns the times of starting a program that does nothing, in ms, alternately in and outside the
 * sandbox.
 */
async function timeStarts(sandbox: Sandbox) {
  const times = { confined: [] as number[], plain: [] as number[] };
  for (let n = 0; n < 20; n++) {
    times.confined.push(await timeStart(sandbox));
    times.plain.push(await timeStart(unconfined));
  }
  return times;
}

async function timeStart(sandbox: Sandbox): Promise<number> {
  const started = performance.now();
  const program = sandbox.start({ command: "/bin/true", args: [] });
  program.stdin.end();
  program.stdout.resume();
  program.stderr.resume();
  await program.ended;
  return performance.now() - started;
}
