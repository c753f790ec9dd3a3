import { join } from "node:path";
import { root, runCommand } from "../scripts/command.ts";
import { withSourceCondition } from "../scripts/source-condition.ts";
import { type Figure, mergeTurns } from "./figure.ts";

/** A program that measures in its own process and prints its figures as JSON. */
export interface Part {
  /** Path of the program, relative to `bench/`. */
  readonly script: string;
  /** Arguments before the last one, which is the number of repetitions. */
  readonly args?: readonly string[];
  readonly repetitions: number;
}

export interface PartOptions {
  readonly signal: AbortSignal;
  /** Root of the checkout whose part runs. @default this checkout */
  readonly checkout?: string;
}

/** More turns spread the repetitions over a longer time, but each process has to warm up again. */
const maximumTurns = 3;

/** Runs the parts alternately, so that a slow minute of the machine affects all parts equally. */
export async function measureByTurns(
  parts: readonly Part[],
  options: PartOptions,
): Promise<readonly Figure[]> {
  const turns: (readonly Figure[])[] = [];
  for (let turn = 0; turn < maximumTurns; turn++)
    for (const part of parts) {
      const repetitions = repetitionsInTurn(part.repetitions, turn);
      if (repetitions > 0) turns.push(await measurePart({ ...part, repetitions }, options));
    }
  return mergeTurns(turns);
}

/** Returns how many of a part's repetitions fall into a turn, counted from 0. */
export function repetitionsInTurn(repetitions: number, turn: number): number {
  return Math.floor((repetitions + maximumTurns - 1 - turn) / maximumTurns);
}

/**
 * Runs a part once.
 *
 * @throws Error with the part's output if it fails
 */
export async function measurePart(
  { script, args = [], repetitions }: Part,
  { signal, checkout = root }: PartOptions,
): Promise<readonly Figure[]> {
  const path = join(checkout, "bench", script);
  const given = [...args, String(repetitions)];
  const { code, output, stdout } = await runCommand(
    process.execPath,
    ["--expose-gc", path, ...given],
    { cwd: checkout, env: withSourceCondition(), signal },
  );
  if (code !== 0)
    throw new Error(`bench/${script} ${given.join(" ")} failed with code ${code}:\n${output}`);
  return JSON.parse(stdout) as readonly Figure[];
}
