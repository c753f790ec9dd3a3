import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { CapstanError } from "@capstan/core";
import type { PythonPlace } from "../../sandbox/python-place.ts";
import type { Program, SandboxLimits, Sandbox } from "../../sandbox/sandbox.ts";
import { environmentInside } from "../environments/python-environments.ts";
import type { Script, ScriptPermissions } from "../script-function.ts";
import { prepareFolders, type Snapshot } from "./snapshot.ts";

/** The same place from the source and from the build: both lie two folders below the package. */
const workerFolder = fileURLToPath(new URL("../../../src/scripts/running/python", import.meta.url));

/** A script's worker as a program: what it sees is what a person approved. */
export function scriptProgram(options: {
  readonly script: Script;
  readonly snapshot: Snapshot;
  readonly permissions: Pick<ScriptPermissions, "network" | "roots" | "secrets">;
  readonly python: PythonPlace;
  /** The virtual environment of what it requires. */
  readonly environmentFolder?: string | undefined;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly hidden: readonly string[];
  readonly limits: Partial<SandboxLimits>;
  readonly sandbox: Sandbox["kind"];
}): Program {
  const { script, snapshot, permissions, environment, environmentFolder: packages } = options;
  // Where it is for its author: its content may be a copy kept elsewhere.
  const home = dirname(script.path);
  const read = (permissions.roots?.read ?? []).map((path) => rootOf(path, home));
  const write = (permissions.roots?.write ?? []).map((path) => rootOf(path, home));
  const inside = [...read, ...write]
    .map((path) => relative(home, path))
    .filter((path) => path !== "" && !path.startsWith(".."));
  prepareFolders(snapshot, inside);
  const folder = options.sandbox === "none" ? snapshot.folder : home;
  const packagesSeen = options.sandbox === "none" ? packages : environmentInside;
  return {
    command:
      packagesSeen === undefined || packages === undefined
        ? options.python.executable
        : join(packagesSeen, "bin", "python"),
    args: ["-I", join(workerFolder, "worker.py"), join(folder, basename(script.path))],
    env: secretsOf(permissions.secrets ?? [], environment),
    read: [workerFolder, ...options.python.folders, ...read],
    write,
    shown: [
      { at: home, from: snapshot.folder },
      ...(packages === undefined ? [] : [{ at: environmentInside, from: packages }]),
    ],
    hidden: options.hidden,
    network: permissions.network ?? false,
    limits: options.limits,
  };
}

/** @throws CapstanError `root_leads_out` */
function rootOf(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  const root = resolve(folder, path);
  // An approval is of the name: what a link there leads to may be another tomorrow.
  if (
    isInside(root, folder) &&
    existsSync(root) &&
    !isInside(realpathSync(root), realpathSync(folder))
  )
    throw new CapstanError({
      code: "root_leads_out",
      message: `The folder ${JSON.stringify(path)} that the script declares is a link that leads out of the script's folder. Declare the folder that it leads to by its absolute path, and have the script approved again.`,
    });
  return root;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
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
