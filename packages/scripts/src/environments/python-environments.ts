import { createHash } from "node:crypto";
import { existsSync, mkdirSync, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PythonInstallation } from "@capstan/sandbox";
import type { Script } from "../definition/script-function.ts";

/** The path in the sandbox of the packages that a script requires. */
export const environmentInside = "/capstan-venv";

const requirementsFile = "requirements.txt";

/** The state of the packages that a script requires. */
export type FoundEnvironment =
  | { readonly status: "none_needed" }
  /** The absolute path of the virtual environment. */
  | { readonly status: "installed"; readonly folder: string }
  | { readonly status: "missing"; readonly folder: string; readonly message: string };

/** The installed packages that plugins require. */
export interface PythonEnvironments {
  find(script: Script, python: PythonInstallation): Promise<FoundEnvironment>;
  /**
   * Calls back when an environment is installed, also by another process.
   *
   * @returns removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/**
 * Returns the virtual environments of an installation: one for each content of a `requirements.txt`
 * and each Python. If packages may come from the plugin's own folder, the environment is for this
 * plugin and the contents of its folder only: a wheel of the same name from another plugin would
 * run with the permissions of this one. Environments are created when a user requests it
 * (`installEnvironment`), never by a call.
 *
 * @param folder a folder in the data directory for environments only
 */
export function pythonEnvironments(folder: string): PythonEnvironments {
  return {
    async find(script, python) {
      const requirements = await requirementsOf(script);
      if (requirements === undefined) return { status: "none_needed" };
      const sources = usesIndexOnly(requirements.toString())
        ? []
        : await installableContents(script);
      const found = join(folder, environmentKey([requirements, ...sources], python));
      if (existsSync(found)) return { status: "installed", folder: found };
      return { status: "missing", folder: found, message: missing(script) };
    },
    subscribe(listener) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name?.endsWith(".tmp") !== true) listener();
      });
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    },
  };
}

/** Only a plugin folder can have requirements; its file may still be empty. */
export function mayRequirePackages({ language, files }: Script): boolean {
  return language === "python" && files.includes(requirementsFile);
}

/** Returns undefined if a script requires nothing. */
async function requirementsOf(script: Script): Promise<Buffer | undefined> {
  if (!mayRequirePackages(script)) return undefined;
  const text = await readFile(join(script.folder, requirementsFile));
  return /^\s*[^#\s]/m.test(text.toString()) ? text : undefined;
}

/**
 * Returns the plugin's path and the contents that pip can find there; its main file is not a
 * package.
 */
async function installableContents({ path, folder, files }: Script): Promise<readonly Buffer[]> {
  const others = files.filter((name) => name !== basename(path));
  const contents = others.map(async (name) => [
    Buffer.from(name),
    await readFile(join(folder, name)),
  ]);
  return [Buffer.from(path), ...(await Promise.all(contents)).flat()];
}

function environmentKey(parts: readonly Uint8Array[], python: PythonInstallation): string {
  const { executable, version } = python;
  const hash = createHash("sha256").update(JSON.stringify([executable, version]));
  const [requirements = "", ...sources] = parts;
  hash.update(requirements);
  // Includes the lengths, so that two different lists have different digests.
  for (const source of sources) hash.update(`\n${source.length}\n`).update(source);
  return hash.digest("hex").slice(0, 32);
}

function missing(script: Script): string {
  const plugin = dirname(script.path);
  return `${basename(plugin)} needs the packages of its requirements.txt, which are not installed. A user installs them with: capstan scripts install ${quoted(plugin)}`;
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns whether requirements name only packages of the index, so that the same text means the
 * same packages in every folder. Options, paths, URLs and archives could mean other packages.
 *
 * @example usesIndexOnly("boats==1.0\nships[sails]>=2"); // true
 */
export function usesIndexOnly(requirements: string): boolean {
  // Rejects other characters, because Python also ends lines at some of them.
  if (/[^\t\n\r -~]/.test(requirements)) return false;
  return requirements
    .split(/[\r\n]/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .every((line) => line === "" || (plain.test(line) && !archive.test(line)));
}

/** A name with its extras, versions and conditions. */
const plain =
  /^[a-z\d](?:[\w.-]*[a-z\d])?\s*(?:\[[\w\s,.-]*\])?\s*(?:[(<>=!~][\w\s.*+!<>=~,()]*)?(?:;[\w\s.<>=!~'"()]*)?$/i;
const archive = /\.(?:whl|zip|tar|tgz|gz|bz2|tbz|xz|txz|tlz|lz|lzma)\b/i;
