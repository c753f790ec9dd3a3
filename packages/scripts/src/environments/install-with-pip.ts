import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { DeniedResources } from "@capstan/core";
import {
  installCommand,
  type Program,
  type PythonInstallation,
  type Sandbox,
} from "@capstan/sandbox";
import { environmentInside } from "./python-environments.ts";

const gibibyte = 1024 ** 3;
const hasUsefulPip =
  "import pip, venv; raise SystemExit(tuple(map(int, pip.__version__.split('.')[:2])) < (22, 3))";
const canCreatePip = "import venv, ensurepip";
/** Prints the host of pip's default index, and the host of its files. */
const printDefaultHosts =
  "from pip._internal.models.index import PyPI; print(PyPI.netloc, PyPI.file_storage_domain)";

/**
 * Returns whether pip's settings contain the password of an index. Then the installation must
 * not run code of packages, because the code could read the settings.
 */
export function hasIndexPassword(environment: {
  readonly [name: string]: string | undefined;
}): boolean {
  return pipSettings(environment).passwords.length > 0;
}

/**
 * Checks whether pip can install packages for a Python, in the sandbox.
 *
 * @returns the problem with a remedy, or `undefined`
 */
export async function pipProblem(options: {
  readonly python: PythonInstallation;
  readonly sandbox: Sandbox;
}): Promise<{ readonly problem: string; readonly fix: string } | undefined> {
  const { python, sandbox } = options;
  const program = { read: python.folders, network: false, command: python.executable } as const;
  const signal = AbortSignal.timeout(30_000);
  for (const code of [hasUsefulPip, canCreatePip]) {
    const probe = { ...program, args: ["-I", "-c", code] };
    const { failure } = await run(probe, { sandbox, onOutput: () => {}, signal });
    if (failure === undefined) return undefined;
  }
  return { problem: noPip(python), fix: pipPackage() };
}

function noPip({ executable }: PythonInstallation): string {
  return `${executable} has no pip 22.3 or newer, and no venv with ensurepip that creates one`;
}

function pipPackage(): string {
  return installCommand("python3-pip", { pacman: "python-pip", brew: "python" });
}

/**
 * Creates a virtual environment and installs packages into it, in the sandbox.
 *
 * @param options.draft an empty folder for the environment
 * @param options.environment the environment with pip's settings (`PIP_INDEX_URL`, …)
 * @param options.requirements pip's arguments that name the packages
 * @param options.network with `index`, only the hosts of pip's settings are reachable, or those of
 *   its default index
 * @param options.onOutput receives pip's output as it arrives
 * @returns a summary of the failure, if it failed
 * @throws the signal's reason when it aborts
 */
export async function installWithPip(options: {
  readonly draft: string;
  readonly python: PythonInstallation;
  readonly sandbox: Sandbox;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly requirements: readonly string[];
  readonly folder?: string;
  readonly read?: readonly string[];
  readonly hidden: readonly string[];
  readonly denied?: Pick<DeniedResources, "hosts">;
  readonly network: "any" | "index";
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<{ readonly failure?: string }> {
  const { draft, python, sandbox, signal } = options;
  const inside = sandbox.kind === "none" ? draft : environmentInside;
  const about = pipSettings(options.environment);
  const onOutput = (text: string) => options.onOutput(withoutPasswords(text, about.passwords));
  const program: Omit<Program, "command" | "args"> = {
    env: { ...about.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_NO_INPUT: "1" },
    read: [...python.folders, ...(options.read ?? []), ...about.read],
    shown: [{ at: environmentInside, from: draft, write: true }],
    hidden: options.hidden,
    ...(options.denied !== undefined && { denied: options.denied }),
    ...(options.folder !== undefined && { folder: options.folder }),
    network:
      options.network === "any" ? ["*", ...about.hosts] : about.hosts.length > 0 && about.hosts,
    limits: { memoryBytes: 4 * gibibyte, addressBytes: 0, fileBytes: 4 * gibibyte },
  };
  const own = join(inside, "bin", "python");
  const started = { sandbox, onOutput, signal };
  /** Runs code; returns its output, or undefined if it fails. */
  const outputOf = async (code: string, command = python.executable) => {
    let output = "";
    const probe = { ...program, command, args: ["-I", "-c", code] };
    const { failure } = await run(probe, { ...started, onOutput: (text) => (output += text) });
    return failure === undefined ? output : undefined;
  };
  const canRun = async (code: string) => (await outputOf(code)) !== undefined;
  // Creating a pip in the environment takes seconds; a pip of the host can install for another
  // Python.
  const isUseful = await canRun(hasUsefulPip);
  if (!isUseful && !(await canRun(canCreatePip)))
    return {
      failure: `Nothing was installed: ${noPip(python)}. Ask the user to install one of them (${pipPackage()}), or do without packages.`,
    };
  const withoutPip = isUseful ? ["--without-pip"] : [];
  const created = await run(
    { ...program, command: python.executable, args: ["-I", "-m", "venv", ...withoutPip, inside] },
    started,
  );
  if (created.failure !== undefined) return created;
  const pip = isUseful ? python.executable : own;
  const needsDefault = options.network === "index" && about.usesDefaultIndex;
  const defaultHosts = needsDefault ? ((await outputOf(printDefaultHosts, pip)) ?? "").trim() : "";
  const installed = await run(
    {
      ...program,
      command: pip,
      args: ["-I", "-m", "pip"].concat(
        isUseful ? ["--python", own] : [],
        ["install", "--no-cache-dir", "--retries", "1", "--progress-bar=off"],
        options.requirements,
      ),
      ...(defaultHosts !== "" && { network: [...about.hosts, ...defaultHosts.split(/\s+/)] }),
    },
    started,
  );
  const { failure } = installed;
  return failure === undefined ? {} : { failure: withoutPasswords(failure, about.passwords) };
}

function withoutPasswords(text: string, passwords: readonly string[]): string {
  return passwords.reduce((shown, password) => shown.replaceAll(password, "****"), text);
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

interface PipSettings {
  readonly env: { readonly [name: string]: string };
  readonly read: readonly string[];
  /** The hosts of the configured indexes. */
  readonly hosts: readonly string[];
  /** The passwords in the addresses of indexes, as written and decoded. */
  readonly passwords: readonly string[];
  readonly usesDefaultIndex: boolean;
}

/** Returns pip's settings of this machine, and the files and hosts that they need. */
function pipSettings(environment: { readonly [name: string]: string | undefined }): PipSettings {
  const names = ["CERT", "DEFAULT_TIMEOUT", "EXTRA_INDEX_URL", "FIND_LINKS", "INDEX_URL"].concat(
    "NO_INDEX",
    "TRUSTED_HOST",
  );
  const set = names.flatMap((name) => {
    const value = environment[`PIP_${name}`];
    return value === undefined ? [] : [[`PIP_${name}`, value] as const];
  });
  const values = set.flatMap(([, value]) => value.split(/\s+/));
  const addresses = values.filter((value) => /^https?:/i.test(value) && URL.canParse(value));
  return {
    env: Object.fromEntries(set),
    usesDefaultIndex:
      environment["PIP_INDEX_URL"] === undefined && environment["PIP_NO_INDEX"] === undefined,
    read: values.filter((value) => isAbsolute(value) && existsSync(value)),
    hosts: addresses.map((address) => new URL(address).host),
    passwords: addresses.flatMap((address) => {
      const { username, password } = new URL(address);
      // A user name without a password can be a token.
      const secret = password === "" ? username : password;
      return secret === "" ? [] : [secret, decoded(secret)];
    }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
