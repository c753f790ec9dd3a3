import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { CapstanError, type DeniedResources } from "@capstan/core";
import {
  linksOf,
  type Program,
  type Root,
  type Sandbox,
  type SandboxLimits,
} from "@capstan/sandbox";
import type { Script, ScriptPermissions } from "../definition/script-function.ts";
import { workspaceInside } from "../workspace/workspace.ts";
import type { WorkerCommand } from "./worker/worker-command.ts";
import { prepareFolders, type Snapshot } from "./snapshot.ts";

/** Returns a script's worker as a program that has only the approved permissions. */
export function scriptProgram(options: {
  readonly script: Script;
  readonly snapshot: Snapshot;
  readonly permissions: Pick<ScriptPermissions, "network" | "roots" | "secrets">;
  readonly worker: WorkerCommand;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly hidden: readonly string[];
  readonly protected: readonly string[];
  readonly deniedHosts: Pick<DeniedResources, "hosts">;
  readonly limits: Partial<SandboxLimits>;
  readonly sandbox: Sandbox["kind"];
  /** The folder of the worker's workspace. */
  readonly workspace: string;
}): Program {
  const { script, snapshot, permissions, environment, worker } = options;
  // The script's original folder; the files that run may be a copy elsewhere.
  const home = dirname(script.path);
  const { read, write } = declaredRoots(script, permissions);
  const inside = [...read, ...write]
    .map((path) => relative(home, path))
    .filter((path) => path !== "" && !path.startsWith(".."));
  prepareFolders(snapshot, inside);
  const folder = options.sandbox === "none" ? snapshot.folder : home;
  const workspace = workspaceSeen(options);
  return {
    command: worker.command,
    args: [...worker.args, join(folder, basename(script.path))],
    env: {
      ...worker.env,
      WORKSPACE: workspace,
      ...secretsOf(permissions.secrets ?? [], environment),
    },
    read: [...worker.read, ...read],
    write,
    shown: [
      { at: home, from: snapshot.folder },
      { at: workspaceInside, from: options.workspace, write: true },
      ...(worker.shown ?? []),
    ],
    hidden: options.hidden,
    network: permissions.network ?? false,
    protected: options.protected,
    denied: options.deniedHosts,
    limits: { ...worker.limits, ...options.limits },
  };
}

/** Returns the path of a worker's workspace as its script sees it. */
export function workspaceSeen({
  sandbox,
  workspace,
}: {
  readonly sandbox: Sandbox["kind"];
  readonly workspace: string;
}): string {
  return sandbox === "none" ? workspace : workspaceInside;
}

/**
 * Returns the absolute paths of the folders that a script may read and write.
 *
 * @throws CapstanError `root_leads_out`
 */
export function declaredRoots(
  { path }: Pick<Script, "path">,
  { roots: { read = [], write = [] } = {} }: Pick<ScriptPermissions, "roots">,
): { readonly read: readonly string[]; readonly write: readonly string[] } {
  const home = dirname(path);
  return {
    read: read.map((root) => rootOf(root, home)),
    write: write.map((root) => rootOf(root, home)),
  };
}

/**
 * Refuses folders that a symbolic link in a root leads to: the approval names the folder, and code
 * that may change the root could have made the link.
 *
 * @throws CapstanError `root_leads_out`
 */
export async function refuseChangeableLinks(
  folders: readonly string[],
  roots: readonly Root[],
): Promise<void> {
  const changeable = await Promise.all(
    roots.map(({ path }) => realpath(path).catch(() => resolve(path))),
  );
  for (const folder of folders)
    for (const link of await linksOf(folder))
      if (changeable.some((root) => link !== root && isInside(link, root)))
        throw leadsOut(folder, `goes through the link ${link}`);
}

function rootOf(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  const root = resolve(folder, path);
  // The approval names the folder, and a link can lead elsewhere later.
  if (
    isInside(root, folder) &&
    existsSync(root) &&
    !isInside(realpathSync(root), realpathSync(folder))
  )
    throw leadsOut(path, "is a link that leads out of the script's folder");
  return root;
}

function leadsOut(path: string, how: string): CapstanError {
  return new CapstanError({
    code: "root_leads_out",
    message: `The folder ${JSON.stringify(path)} that the script declares ${how}. Declare the folder that it leads to by its absolute path, and have the script approved again.`,
  });
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Returns the approved variables that exist; the script itself handles missing ones. */
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
