import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { DeniedResources } from "@capstan/core";
import type { PythonInstallation, Sandbox } from "@capstan/sandbox";
import { installInto, type InstallOutcome } from "./install-environment.ts";
import { installWithPip } from "./install-with-pip.ts";

/** The number of environments that are kept; the least recently used ones are removed. */
const maxEnvironments = 20;

/** An environment that was used within this time may be in use. */
const inUseMs = 60 * 60 * 1_000;

/** Options of `PackageEnvironments`. */
export interface PackageEnvironmentsOptions {
  /** A folder in the data directory for these environments only. */
  readonly folder: string;
  /** The environment with pip's settings (`PIP_INDEX_URL`, …). */
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The owner, the Python and the packages of an environment. */
export interface PackageSet {
  /** The user whose environment it is: no other user's code can read it. */
  readonly owner: string;
  readonly python: PythonInstallation;
  /** Packages of the index, as pip names them: `pandas==2.2`. */
  readonly packages: readonly string[];
}

/** The Python environments of calls that name packages: one for each user and list of packages. */
export class PackageEnvironments {
  readonly #options: PackageEnvironmentsOptions;
  readonly #installing = new Map<string, Promise<unknown>>();

  constructor(options: PackageEnvironmentsOptions) {
    this.#options = options;
  }

  /** Returns the folder of an installed environment, and marks it as used. */
  async find(set: PackageSet): Promise<string | undefined> {
    const folder = join(this.#options.folder, keyOf(set));
    if (!existsSync(folder)) return undefined;
    const now = new Date();
    await utimes(folder, now, now);
    return folder;
  }

  /**
   * Installs packages, unless they are installed. Only wheels are installed, because building a
   * package would run its code while the network is reachable; only the index is reachable.
   *
   * @throws the signal's reason when it aborts; nothing is left then
   */
  async install(
    options: PackageSet & {
      readonly sandbox: Sandbox;
      readonly hidden: readonly string[];
      readonly denied: Pick<DeniedResources, "hosts">;
      readonly onOutput: (text: string) => void;
      readonly signal: AbortSignal;
    },
  ): Promise<InstallOutcome> {
    const key = keyOf(options);
    const { signal } = options;
    // Parallel calls with the same packages install once.
    while (this.#installing.has(key)) await this.#installing.get(key)?.catch(() => {});
    signal.throwIfAborted();
    const found = await this.find(options);
    if (found !== undefined) return { status: "installed_before", folder: found };
    const installing = installInto(join(this.#options.folder, key), (draft) =>
      installWithPip({
        draft,
        python: options.python,
        sandbox: options.sandbox,
        environment: this.#options.environment,
        requirements: ["--only-binary", ":all:", "--", ...options.packages],
        hidden: options.hidden,
        denied: options.denied,
        network: "index",
        onOutput: options.onOutput,
        signal,
      }),
    );
    this.#installing.set(key, installing);
    try {
      const outcome = await installing;
      if (outcome.status === "installed") await this.#removeOld();
      return outcome;
    } finally {
      this.#installing.delete(key);
    }
  }

  async #removeOld(): Promise<void> {
    const { folder } = this.#options;
    const names = (await readdir(folder)).filter((name) => !name.endsWith(".tmp"));
    const found = await Promise.all(
      names.map(async (name) => ({
        name,
        used: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    const old = found
      .toSorted((one, other) => other.used - one.used)
      .slice(maxEnvironments)
      .filter(({ used }) => used < Date.now() - inUseMs);
    for (const { name } of old) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Adds packages to a list, sorted. A package replaces another version of itself.
 *
 * @example withPackages(["numpy", "pandas==2.1"], ["pandas==2.2"]); // ["numpy", "pandas==2.2"]
 */
export function withPackages(
  known: readonly string[],
  added: readonly string[],
): readonly string[] {
  const all = new Map([...known, ...added].map((one) => [projectOf(one), one.trim()]));
  return [...all.values()].toSorted();
}

/** Returns the name of a package without extras and versions, in its normal form. */
function projectOf(requirement: string): string {
  const [name = ""] = /^\s*[\w.-]+/.exec(requirement) ?? [];
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[-_.]+/g, "-");
}

function keyOf({ owner, python, packages }: PackageSet): string {
  const { executable, version } = python;
  return createHash("sha256")
    .update(JSON.stringify([owner, executable, version, ...withPackages([], packages)]))
    .digest("hex")
    .slice(0, 32);
}
