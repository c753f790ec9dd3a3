import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAlive, type PythonInstallation, type Sandbox } from "@capstan/sandbox";
import type { Script } from "../definition/script-function.ts";
import { hasIndexPassword, installWithPip } from "./install-with-pip.ts";
import { type PythonEnvironments, usesIndexOnly } from "./python-environments.ts";

/** The result of an installation. */
export type InstallOutcome =
  | { readonly status: "none_needed" }
  | { readonly status: "installed" | "installed_before"; readonly folder: string }
  /** A summary; pip's whole output was passed to `onOutput`. */
  | { readonly status: "failed"; readonly message: string };

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
  const { script, python, environments, sandbox } = options;
  const found = await environments.find(script, python);
  if (found.status === "none_needed") return found;
  if (found.status === "installed") return { ...found, status: "installed_before" };
  const plugin = dirname(script.path);
  const hasPassword = hasIndexPassword(options.environment);
  const list = join(plugin, "requirements.txt");
  if (hasPassword && !usesIndexOnly(await readFile(list, "utf8")))
    return {
      status: "failed",
      message: `Nothing was installed: the address of this machine's package index contains a password, and ${list} names more than packages of the index, which would run code that could read it. Name only packages of the index, or set PIP_NO_INDEX and PIP_FIND_LINKS, without PIP_INDEX_URL, to install from a folder.`,
    };
  return installInto(found.folder, (draft) =>
    installWithPip({
      draft,
      python,
      sandbox,
      environment: options.environment,
      // Building a package runs its code, which could read the password.
      requirements: [...(hasPassword ? ["--only-binary", ":all:"] : []), "-r", list],
      folder: plugin,
      read: [plugin],
      hidden: options.hidden ?? [],
      network: "any",
      onOutput: options.onOutput,
      signal: options.signal,
    }),
  );
}

/**
 * Creates an environment under another name, and renames it when it is complete.
 *
 * @param install fills the empty folder `draft`
 */
export async function installInto(
  folder: string,
  install: (draft: string) => Promise<{ readonly failure?: string }>,
): Promise<InstallOutcome> {
  await removeUnfinished(dirname(folder));
  const draft = `${folder}.${process.pid}-${randomUUID()}.tmp`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const { failure } = await install(draft);
    if (failure !== undefined) return { status: "failed", message: failure };
    await rename(draft, folder).catch((thrown: unknown) => {
      // Another process has installed the same environment meanwhile.
      if (!existsSync(folder)) throw thrown;
    });
    return { status: "installed", folder };
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
