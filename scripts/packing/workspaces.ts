import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../command.ts";

/** The packages. Each package imports only packages before it. */
const folders = [
  "core",
  "contract",
  "client",
  "models",
  "sandbox",
  "toolkit",
  "scripts",
  "connections",
  "store",
  "server",
  "web",
  "cli",
] as const;

/** A package of this repository, as its package.json describes it. */
export interface Workspace {
  readonly folder: string;
  readonly name: string;
  /**
   * The entries that users import: `@capstan/core`, `@capstan/core/testing`. Entries that exist
   * only in the sources are excluded.
   */
  readonly doors: readonly string[];
  /** The commands it installs. */
  readonly commands: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly exports?: { readonly [door: string]: object };
  readonly bin?: { readonly [command: string]: string };
}

export function readWorkspaces(): Promise<Workspace[]> {
  return Promise.all(
    folders.map(async (name) => {
      const folder = join(root, "packages", name);
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
      return {
        folder,
        name: manifest.name,
        doors: Object.entries(manifest.exports ?? {})
          .filter(([, conditions]) => "default" in conditions)
          .map(([door]) => manifest.name + door.slice(1)),
        commands: Object.keys(manifest.bin ?? {}),
      };
    }),
  );
}
