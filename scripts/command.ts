import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The repository's root, without a slash at the end. */
export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

export interface CommandOptions {
  /** @default the repository's root */
  readonly cwd?: string;
  /** Added to this process's environment; undefined removes a variable. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Receives the output while it is also collected. */
  readonly onOutput?: (text: string) => void;
  readonly signal?: AbortSignal;
}

export interface CommandResult {
  /** Null if a signal ended the program. */
  readonly code: number | null;
  /** Standard output and standard error, in their order of arrival. */
  readonly output: string;
  readonly stdout: string;
  readonly ms: number;
}

/**
 * Runs a program to its end. If it cannot be started, the code is 127 and the output contains the
 * reason.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd = root, env = {}, onOutput, signal }: CommandOptions = {},
): Promise<CommandResult> {
  const started = performance.now();
  return new Promise((resolve) => {
    let output = "";
    let stdout = "";
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(signal !== undefined && { signal }),
    });
    const add = (text: string): void => {
      output += text;
      onOutput?.(text);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      add(text);
    });
    child.stderr.setEncoding("utf8").on("data", add);
    let failure: Error | undefined;
    child.on("error", (error) => (failure = error));
    child.on("close", (code) => {
      if (failure !== undefined) output += `${command}: ${failure.message}\n`;
      resolve({
        code: failure === undefined ? code : 127,
        output,
        stdout,
        ms: performance.now() - started,
      });
    });
  });
}

/**
 * Runs npm: the npm that runs this script, if there is one. Errors are printed even under `npm -s`.
 */
export function runNpm(args: readonly string[], options?: CommandOptions): Promise<CommandResult> {
  const loud = [...args, "--loglevel=error"];
  const cli = process.env["npm_execpath"];
  if (cli?.endsWith(".js") === true) return runCommand(process.execPath, [cli, ...loud], options);
  return runCommand("npm", loud, options);
}
