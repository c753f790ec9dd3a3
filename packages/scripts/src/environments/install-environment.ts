import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isAlive, type Program, type PythonInstallation, type Sandbox } from "@capstan/sandbox";
import type { Script } from "../definition/script-function.ts";
import { environmentInside, type PythonEnvironments } from "./python-environments.ts";

/** The result of `installEnvironment`. */
export type InstallOutcome =
  | { readonly status: "none_needed" }
  | { readonly status: "installed" | "installed_before"; readonly folder: string }
  /** A summary; pip's whole output was passed to `onOutput`. */
  | { readonly status: "failed"; readonly message: string };

const gibibyte = 1024 ** 3;
const hasUsefulPip =
  "import pip; raise SystemExit(tuple(map(int, pip.__version__.split('.')[:2])) < (22, 3))";

/**
 * Installs the packages in a plugin's `requirements.txt`, in the sandbox, because installing a
 * package may run its code. It installs all packages or none, and only when a user requests it.
 *
 * @param options.environment the environment with pip's settings (`PIP_INDEX_URL`, …)
 * @param options.hidden absolute paths that no package can read
 * @param options.onOutput receives pip's output as it arrives
 * @throws the signal's reason when it aborts; nothing is left then
 */
export async function installEnvironment(options: {
  readonly script: Script;
  readonly python: PythonInstallation;
  readonly environments: PythonEnvironments;
  readonly sandbox: Sandbox;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly hidden?: readonly string[];
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<InstallOutcome> {
  const { script, python, environments, sandbox, signal, onOutput } = options;
  const found = await environments.find(script, python);
  if (found.status === "none_needed") return found;
  if (found.status === "installed") return { ...found, status: "installed_before" };
  await removeUnfinished(dirname(found.folder));
  const draft = `${found.folder}.${process.pid}-${randomUUID()}.tmp`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const inside = sandbox.kind === "none" ? draft : environmentInside;
    const plugin = dirname(script.path);
    const about = pipSettings(options.environment);
    const program: Omit<Program, "command" | "args"> = {
      env: { ...about.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_NO_INPUT: "1" },
      read: [...python.folders, plugin, ...about.read],
      shown: [{ at: environmentInside, from: draft, write: true }],
      hidden: options.hidden ?? [],
      folder: plugin,
      network: ["*", ...about.hosts],
      limits: { memoryBytes: 4 * gibibyte, addressBytes: 0, fileBytes: 4 * gibibyte },
    };
    const own = join(inside, "bin", "python");
    const started = { sandbox, onOutput, signal };
    // Creating a pip in the environment takes seconds; a pip of the host can install for another
    // Python.
    const probe = { ...program, command: python.executable, args: ["-I", "-c", hasUsefulPip] };
    const pip = await run(probe, { ...started, onOutput: () => {} });
    const isUseful = pip.failure === undefined;
    const steps = [
      {
        command: python.executable,
        args: ["-I", "-m", "venv", ...(isUseful ? ["--without-pip"] : []), inside],
      },
      {
        command: isUseful ? python.executable : own,
        args: ["-I", "-m", "pip"].concat(
          isUseful ? ["--python", own] : [],
          ["install", "--no-cache-dir", "--retries", "1", "--progress-bar=off"],
          ["-r", join(plugin, "requirements.txt")],
        ),
      },
    ];
    for (const step of steps) {
      const result = await run({ ...program, ...step }, started);
      if (result.failure !== undefined) return { status: "failed", message: result.failure };
    }
    await rename(draft, found.folder).catch((thrown: unknown) => {
      // Another process has installed the same environment meanwhile.
      if (!existsSync(found.folder)) throw thrown;
    });
    return { status: "installed", folder: found.folder };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Removes the unfinished folders of processes that were killed while they installed. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of existsSync(folder) ? await readdir(folder) : []) {
    const pid = /\.(\d+)-[^.]*\.tmp$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function run(
  program: Program,
  options: {
    readonly sandbox: Sandbox;
    readonly onOutput: (text: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly failure?: string }> {
  const { sandbox, onOutput, signal } = options;
  signal.throwIfAborted();
  const running = sandbox.start(program);
  const abort = () => running.kill();
  signal.addEventListener("abort", abort, { once: true });
  let output = "";
  for (const stream of [running.stdout, running.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      onOutput(text);
      output = (output + text).slice(-50_000);
    });
  running.stdin.end();
  try {
    const closed = [running.stdout, running.stderr].map(
      (stream) => new Promise((resolve) => void stream.once("close", resolve)),
    );
    const end = await running.ended;
    await Promise.all(closed);
    signal.throwIfAborted();
    if (end.status === "exited" && end.code === 0) return {};
    return { failure: end.status === "not_started" ? end.message : summaryOf(output) };
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** pip reports the cause first and its consequences last. */
function summaryOf(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const cause =
    lines.find((line) => line.startsWith("ERROR:")) ??
    lines.findLast((line) => line !== "") ??
    "it ended without a message";
  const isOffline = /Retrying \(|NewConnectionError|ProxyError|Temporary failure in name/.test(
    output,
  );
  const hint = isOffline
    ? " The package index was not reached: connect this machine to it, name another one in PIP_INDEX_URL, or put wheels next to the script and name their folder with --find-links."
    : "";
  return `Nothing was installed: ${cause.replace(/^ERROR: /, "")}.${hint}`.replace("..", ".");
}

/** pip's settings of this machine, and the files and hosts that they need. */
function pipSettings(environment: { readonly [name: string]: string | undefined }): {
  readonly env: { readonly [name: string]: string };
  readonly read: readonly string[];
  readonly hosts: readonly string[];
} {
  const names = ["CERT", "DEFAULT_TIMEOUT", "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL"].concat(
    "NO_INDEX",
    "TRUSTED_HOST",
  );
  const set = names.flatMap((name) => {
    const value = environment[`PIP_${name}`];
    return value === undefined ? [] : [[`PIP_${name}`, value] as const];
  });
  const values = set.flatMap(([, value]) => value.split(/\s+/));
  return {
    env: Object.fromEntries(set),
    read: values.filter((value) => isAbsolute(value) && existsSync(value)),
    hosts: values.flatMap((value) =>
      /^https?:/.test(value) && URL.canParse(value) ? [new URL(value).host] : [],
    ),
  };
}
