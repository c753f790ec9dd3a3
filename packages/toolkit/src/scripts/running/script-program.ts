import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Program, SandboxLimits, Sandbox } from "../../sandbox/sandbox.ts";
import type { Script, ScriptPermissions } from "../script-function.ts";
import { prepareFolders, type Snapshot } from "./snapshot.ts";

/** The same place from the source and from the build: both lie two folders below the package. */
const workerFolder = fileURLToPath(new URL("../../../src/scripts/running/python", import.meta.url));

const known = new Map<string, Promise<readonly string[]>>();

/**
 * The folders that a Python needs to run: where it is installed, and its virtual environment. Asks
 * it, once.
 */
export function pythonFolders(executable: string): Promise<readonly string[]> {
  const folders = known.get(executable) ?? askFolders(executable);
  known.set(executable, folders);
  return folders;
}

async function askFolders(executable: string): Promise<readonly string[]> {
  const code = "import sys; print(sys.base_prefix); print(sys.prefix)";
  const { stdout } = await promisify(execFile)(executable, ["-I", "-S", "-c", code], {
    timeout: 10_000,
  });
  const folders = [...stdout.trim().split("\n"), executable, realpathSync(executable)];
  // The system's own are there anyway.
  return [...new Set(folders)].filter((path) => path !== "/usr" && !path.startsWith("/usr/"));
}

/** A script's worker as a program: what it sees is what a person approved. */
export function scriptProgram(options: {
  readonly script: Script;
  readonly snapshot: Snapshot;
  readonly permissions: Pick<ScriptPermissions, "network" | "roots" | "secrets">;
  readonly executable: string;
  /** Where that is installed. */
  readonly executableFolders: readonly string[];
  readonly environment: { readonly [name: string]: string | undefined };
  readonly hidden: readonly string[];
  readonly limits: Partial<SandboxLimits>;
  readonly sandbox: Sandbox["kind"];
}): Program {
  const { script, snapshot, permissions, environment } = options;
  const read = (permissions.roots?.read ?? []).map((path) => rootOf(path, script));
  const write = (permissions.roots?.write ?? []).map((path) => rootOf(path, script));
  const inside = [...read, ...write]
    .map((path) => relative(script.folder, path))
    .filter((path) => path !== "" && !path.startsWith(".."));
  prepareFolders(snapshot, inside);
  const folder = options.sandbox === "none" ? snapshot.folder : script.folder;
  const file = relative(script.folder, script.path);
  return {
    command: options.executable,
    args: ["-I", join(workerFolder, "worker.py"), join(folder, file)],
    env: secretsOf(permissions.secrets ?? [], environment),
    read: [workerFolder, ...options.executableFolders, ...read],
    write,
    shown: [{ at: script.folder, from: snapshot.folder }],
    hidden: options.hidden,
    network: permissions.network ?? false,
    limits: options.limits,
  };
}

function rootOf(path: string, { folder }: Script): string {
  return path === "~" || path.startsWith("~/")
    ? join(homedir(), path.slice(1))
    : resolve(folder, path);
}

/** The granted variables that there are; a script finds out for itself what is missing. */
function secretsOf(
  names: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
