import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processTree, residentBytes } from "./process-memory.ts";

/** Idle time of a server before its memory is measured, in milliseconds. */
const idleMs = 5_000;
const startLimitMs = 60_000;
/** Time between two health checks, in milliseconds. */
const pollMs = 2;

export interface StartCommand {
  readonly subject: string;
  /** The program and its arguments; `--port` and `--data` are appended. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the first process is npm, whose own memory is not the server's. */
  readonly isWrapped: boolean;
}

export interface MeasuredStart {
  /** From the start of the process until `GET /healthz` answers. */
  readonly seconds: number;
  /** Resident memory of the server and all its child processes when it is idle. */
  readonly megabytes: number;
}

/**
 * Starts a server with an empty data directory, measures it, and stops it.
 *
 * @throws Error with the server's output if it does not answer within a minute
 */
export async function measureStart(
  { command: [program, ...args], cwd, env, isWrapped }: StartCommand,
  signal: AbortSignal,
): Promise<MeasuredStart> {
  const data = await mkdtemp(join(tmpdir(), "capstan-start-data-"));
  const port = await freePort();
  const started = performance.now();
  const child = spawn(program, [...args, "--port", String(port), "--data", data], {
    cwd,
    env: { ...env, CAPSTAN_DATABASE_URL: undefined, CAPSTAN_REDIS_URL: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  let tree: readonly number[] = [];
  try {
    const isOver = () => child.exitCode !== null || performance.now() - started > startLimitMs;
    while (!(await answers(port))) {
      if (isOver()) throw new Error(`${program} ${args.join(" ")} does not answer:\n${output}`);
      await delay(pollMs, undefined, { signal });
    }
    const seconds = (performance.now() - started) / 1_000;
    await delay(idleMs, undefined, { signal });
    tree = processTree(child.pid ?? 0);
    const bytes = tree.slice(isWrapped ? 1 : 0).map(residentBytes);
    return { seconds, megabytes: bytes.reduce((sum, one) => sum + one, 0) / 1e6 };
  } finally {
    // npm's shell does not forward signals, so all processes are stopped; the innermost one is the
    // server.
    for (const pid of tree.length > 0 ? tree : [child.pid ?? 0]) stop(pid);
    await exited;
    // The server can outlive npm's shell for a moment.
    await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

function stop(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // The process has already ended.
  }
}

async function answers(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The port has no number.");
  return address.port;
}
