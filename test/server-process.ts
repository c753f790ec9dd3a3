import { type ChildProcess, execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../scripts/command.ts";
import { sourceCondition, withSourceCondition } from "../scripts/source-condition.ts";
import { bundled, command } from "./server-scripts.ts";

export interface ServerFolder extends AsyncDisposable {
  /** The working folder of a server, with a few files. */
  readonly work: string;
  readonly data: string;
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Standard output and error so far. */
  output(): string;
  /** The exit code, whatever the reason for the end. */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL, so that the server runs no shutdown code. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  readonly folder: ServerFolder;
  /** Flags after `serve --port 0 --data DIR`. @default none */
  readonly flags?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
  /** The script that serves. @default the command */
  readonly script?: string;
}

/** How long a start or a stop may take on a busy machine. */
const limitMs = 60_000;

/** Approves a tool file of the folder, as a user does on the command line. */
export async function approveScript({ work, data }: ServerFolder, file: string): Promise<void> {
  const approve = [bundled(command), "scripts", "approve", file, "--yes", "--data", data];
  const env = withSourceCondition();
  await promisify(execFile)(process.execPath, approve, { cwd: work, env });
}

/** A folder for several servers, one after another, with `notes.txt` and the given files. */
export async function createServerFolder(
  files: { readonly [path: string]: string } = {},
): Promise<ServerFolder> {
  const base = await mkdtemp(join(tmpdir(), "capstan-server-"));
  const work = join(base, "work");
  const all = { "notes.txt": "Buy rope. Oil the capstan.\n", ...files };
  for (const [path, text] of Object.entries(all)) {
    const file = join(work, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const removeAtOnce = () => rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  process.prependOnceListener("exit", removeAtOnce);
  return {
    work,
    data: join(base, "data"),
    async [Symbol.asyncDispose]() {
      process.off("exit", removeAtOnce);
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The lines that the toy tools wrote: their recorded effects. */
export async function readLedger({ work }: ServerFolder): Promise<readonly string[]> {
  const text = await readFile(join(work, "ledger.txt"), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

/** Starts `capstan serve` like a user, without any key, and waits for its address. */
export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const { child, output } = spawnServer(options);
  const exited = exitOf(child);
  const address = new Promise<string>((resolve) => {
    child.stdout?.on("data", () => {
      const url = /^ {2}address {2}(\S+)$/m.exec(output())?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const gone = exited.then((code) => {
    throw new Error(`The server ended with ${code} before it listened:\n${output()}`);
  });
  const url = await within(Promise.race([address, gone]), "The server did not start", output);
  gone.catch(() => {});
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return within(exited, `The server did not end after ${signal}`, output);
  };
  return {
    url,
    pid: child.pid ?? 0,
    output,
    exited,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

/** Starts a server whose start is expected to fail. Returns its exit code and its output. */
export async function runServerToEnd(
  options: ServerOptions,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { child, output } = spawnServer(options);
  try {
    const code = await within(exitOf(child), "The server did not end", output);
    return { code, output: output() };
  } finally {
    child.kill("SIGKILL");
  }
}

function spawnServer({ folder, flags = [], environment = {}, script = command }: ServerOptions): {
  readonly child: ChildProcess;
  readonly output: () => string;
} {
  const args = ["serve", "--port", "0", "--data", folder.data, ...flags];
  const child = spawn(process.execPath, [sourceCondition, bundled(script), ...args], {
    cwd: folder.work,
    stdio: ["ignore", "pipe", "pipe"],
    // Without this environment, so that keys and settings of the tests' user have no effect.
    env: {
      PATH: process.env["PATH"],
      HOME: folder.work,
      TMPDIR: tmpdir(),
      // An Ollama of this machine is not queried.
      OLLAMA_HOST: "127.0.0.1:9",
      // Compiling TypeScript takes half of a start, so the compile cache of the unit tests is
      // reused.
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
      ...environment,
    },
  });
  const kill = () => void child.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (more: string) => (text += more));
  return { child, output: () => text };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", (code) => resolve(code)));
}

async function within<T>(promise: Promise<T>, what: string, output: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} within ${limitMs / 1000} s:\n${output()}`)),
      limitMs,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
