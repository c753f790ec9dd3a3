import { findSandbox } from "../confine/find-sandbox.ts";
import type { Program, ProgramEnd, Sandbox } from "../confine/sandbox.ts";

const { sandbox, problem } = await findSandbox();

/** The sandbox for tests that need a real one, and the reason if there is none. */
export const confined = sandbox;
/** The reason why tests of the sandbox are skipped, or `false` if there is a sandbox. */
export const noSandbox: string | false = problem === undefined ? false : problem.message;

/** Runs a program to its end. Its output is truncated at 200,000 characters. */
export async function outputOf(
  program: Program,
  options: { readonly sandbox?: Sandbox; readonly killAfterMs?: number } = {},
): Promise<{ readonly end: ProgramEnd; readonly out: string; readonly err: string }> {
  const running = (options.sandbox ?? confined).start(program);
  running.stdin.end();
  let out = "";
  let err = "";
  running.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (out.length < 200_000) out += text;
  });
  running.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (err.length < 200_000) err += text;
  });
  const closed = new Promise((resolve) => void running.stdout.once("close", resolve));
  const timer = setTimeout(() => running.kill(), options.killAfterMs ?? 20_000);
  const end = await running.ended;
  clearTimeout(timer);
  await closed;
  return { end, out, err };
}

/** Runs a line of shell in the same way. */
export function shell(line: string, program: Partial<Program> = {}) {
  return outputOf({ command: "/bin/sh", args: ["-c", line], ...program });
}

/** Runs a Python program in the same way, with the system's Python. */
export function python(code: string, program: Partial<Program> = {}) {
  return outputOf({ command: "/usr/bin/python3", args: ["-c", code], ...program });
}
