import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { errorMessage } from "@capstan/core/host";
import type { ParsedFile } from "../../definition/parsed-file.ts";

/** The start of the reader: its version of Python, or why it failed. */
export type ReaderStart =
  | {
      readonly status: "ready";
      readonly executable: string;
      readonly version: string;
      /** Whether it is older than 3.9. */
      readonly isTooOld: boolean;
    }
  | { readonly status: "failed"; readonly message: string };

/**
 * The same path from the source and from the build, because both are one folder below the package.
 */
const program = fileURLToPath(new URL("../../../src/read/python/reader/main.py", import.meta.url));

/** Starts the program that reads Python files without running them. */
export function startReader(options: {
  readonly executable: string;
  readonly signal?: AbortSignal;
  readonly onAnswer?: (id: number, parsed: ParsedFile) => void;
}) {
  const { executable, signal, onAnswer } = options;
  // Runs in isolated mode without site-packages, so that it imports none of the user's modules. It
  // gets only a few variables, because the environment contains secrets. A version switch needs
  // PATH to find the interpreter.
  const child = spawn(executable, ["-I", "-S", "-B", program], {
    stdio: ["pipe", "pipe", "ignore"],
    env: keep(["PATH", "HOME", "SYSTEMROOT", "PYENV_VERSION", "PYENV_ROOT"]),
    ...(signal && { signal, killSignal: "SIGKILL" }),
    windowsHide: true,
  });
  const started = Promise.withResolvers<ReaderStart>();
  const ended = Promise.withResolvers<void>();
  child.once("error", (error) => {
    started.resolve({ status: "failed", message: errorMessage(error) });
    if (child.pid === undefined) ended.resolve();
  });
  // An answer may still arrive after `exit`.
  child.once("close", (code) => {
    started.resolve({
      status: "failed",
      message: `it ended with code ${code} before it was ready`,
    });
    ended.resolve();
  });
  // A dead process accepts no input; `close` reports its end.
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parseLine(line);
    if (message === undefined) return;
    if ("python" in message) started.resolve(readerStart(message));
    else onAnswer?.(message.id, message.module);
  });
  return {
    started: started.promise,
    /** Resolves when the process has ended for any reason. */
    ended: ended.promise,
    send: (id: number, source: Uint8Array) =>
      void child.stdin.write(
        `${JSON.stringify({ id, source: Buffer.from(source).toString("base64") })}\n`,
      ),
    /** Ends the input. */
    end: () => void child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

type ReaderMessage =
  | { readonly python: readonly [number, number, number]; readonly executable: string }
  | { readonly id: number; readonly module: ParsedFile };

function parseLine(line: string): ReaderMessage | undefined {
  try {
    return JSON.parse(line) as ReaderMessage;
  } catch {
    // A version switch may print text before Python does.
    return undefined;
  }
}

function readerStart({
  python,
  executable,
}: Extract<ReaderMessage, { readonly python: unknown }>): ReaderStart {
  const [major, minor] = python;
  const isTooOld = major < 3 || (major === 3 && minor < 9);
  return { status: "ready", executable, version: python.join("."), isTooOld };
}

function keep(names: readonly string[]): Record<string, string> {
  const given = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
