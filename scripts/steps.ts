import { runCommand, type CommandResult } from "./command.ts";

/** A step of a check or build. */
export interface Step {
  readonly name: string;
  /**
   * Commands that run one after another, each a program with its arguments. The first failure ends
   * the step.
   */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** Whether to show the output of a successful step. */
  readonly showOutput?: (output: string) => boolean;
  /** Why the step cannot run on this machine. The summary shows the reason. */
  readonly skipped?: string | undefined;
}

/**
 * Runs the steps, at most `concurrency` at the same time. Prints a line for each step when it ends,
 * and the whole output of failed steps.
 *
 * @returns whether all succeeded.
 */
export async function runSteps(steps: readonly Step[], concurrency: number): Promise<boolean> {
  const width = Math.max(...steps.map(({ name }) => name.length));
  const queue = steps.values();
  let succeeded = true;
  const worker = async (): Promise<void> => {
    for (const step of queue) succeeded = (await runStep(step, width)) && succeeded;
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return succeeded;
}

async function runStep(step: Step, width: number): Promise<boolean> {
  const name = step.name.padEnd(width);
  if (step.skipped !== undefined) {
    console.log(`skip  ${name}  ${step.skipped}`);
    return true;
  }
  const { code, output, ms } = await runInARow(step.commands);
  const failed = code !== 0;
  console.log(`${failed ? "FAIL" : "ok  "}  ${name}  ${(ms / 1000).toFixed(1)} s`);
  if (failed || step.showOutput?.(output) === true) console.log(`\n${output.trimEnd()}\n`);
  return !failed;
}

async function runInARow(commands: Step["commands"]): Promise<Omit<CommandResult, "stdout">> {
  let output = "";
  let ms = 0;
  for (const [command, ...args] of commands) {
    const result = await runCommand(command, args);
    output += result.output;
    ms += result.ms;
    if (result.code !== 0) return { code: result.code, output, ms };
  }
  return { code: 0, output, ms };
}
