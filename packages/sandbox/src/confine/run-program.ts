import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import type { ProgramEnd, RunningProgram } from "./sandbox.ts";

/**
 * Milliseconds for which a process that escaped `kill` can delay the end by holding the pipes open.
 */
const lastOutputMs = 1_000;

/** Starts a process and returns its streams and its end. */
export function runProgram(options: {
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly folder?: string | undefined;
  readonly channels: number;
  /**
   * The inputs that the command reads to their end, each on one more descriptor after the channels.
   */
  readonly said?: readonly (string | Uint8Array)[];
  /** Open descriptors of this process that the command gets after those. @default none */
  readonly descriptors?: readonly number[];
  /** Ends the process and all processes that it started. */
  readonly kill: (child: ChildProcess) => void;
  /** Called and awaited after the process has ended. */
  readonly cleanUp: () => void | Promise<void>;
}): RunningProgram {
  const [command = "", ...args] = options.command;
  const { said = [], descriptors = [] } = options;
  const extra = Array.from({ length: options.channels + said.length }, () => "pipe" as const);
  const child = spawn(command, args, {
    cwd: options.folder,
    env: options.env,
    stdio: ["pipe", "pipe", "pipe", ...extra, ...descriptors],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const pipes = child.stdio.slice(3, 3 + extra.length) as unknown as readonly Duplex[];
  const channels = pipes.slice(0, options.channels);
  const { stdin, stdout, stderr } = child;
  // A program that ends early breaks its pipes. Its exit is reported instead of these errors.
  for (const stream of [stdin, stdout, stderr, ...pipes]) stream?.on("error", () => {});
  if (stdin === null || stdout === null || stderr === null)
    throw new Error("The process has no pipes.");
  for (const [index, text] of said.entries()) pipes[options.channels + index]?.end(text);
  const end = () => options.kill(child);
  endAtExit(end);
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  child.once("error", (error) => resolve({ status: "not_started", message: error.message }));
  child.once("exit", (code, signal) => {
    // Processes that it left behind are also killed, because they would keep the pipes open.
    options.kill(child);
    const how: ProgramEnd =
      code === null
        ? { status: "killed", signal: signal ?? "SIGKILL" }
        : { status: "exited", code };
    // The last output can still be in the pipes. Without reading it, an answer right before the
    // exit would be lost.
    const late = setTimeout(() => resolve(how), lastOutputMs).unref();
    child.once("close", () => {
      clearTimeout(late);
      resolve(how);
    });
  });
  const ended = promise.then(async (how) => {
    ends.delete(end);
    await options.cleanUp();
    return how;
  });
  return {
    stdin,
    stdout,
    stderr,
    channels,
    ended,
    kill: () => options.kill(child),
    hold: (held) => holdAll([child, stdin, stdout, stderr, ...channels], held),
  };
}

const ends = new Set<() => void>();

/** Ends the running programs when this process ends. */
function endAtExit(end: () => void): void {
  if (ends.size === 0) process.removeListener("exit", endAll).once("exit", endAll);
  ends.add(end);
}

function endAll(): void {
  for (const end of ends) end();
}

/** Sockets and processes have `ref` and `unref`, which the types of streams do not declare. */
function holdAll(handles: readonly object[], held: boolean): void {
  for (const handle of handles as readonly Partial<Pick<ChildProcess, "ref" | "unref">>[]) {
    if (held) handle.ref?.();
    else handle.unref?.();
  }
}
