import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** The largest allowed size of an install of all packages, in megabytes. */
export const maxInstallMegabytes = 150;

/**
 * Returns the bytes on disk of each installed package, by its name. The `node` binary is not part of
 * an install of the packed packages, so it is not counted.
 */
export async function installedSizes(project: string): Promise<ReadonlyMap<string, number>> {
  const modules = join(project, "node_modules");
  const sizes = new Map<string, number>();
  const entries = await readdir(modules, { recursive: true });
  for (const entry of entries) {
    const name = /^(?:@[^/\\]+[/\\])?[^/\\]+/.exec(entry)?.[0].replaceAll("\\", "/");
    if (name === undefined) continue;
    const stats = await lstat(join(modules, entry));
    // Whole blocks, as `du` counts them.
    const bytes = stats.blocks * 512;
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  return sizes;
}

/** Returns a sentence that names the largest packages if an install exceeds the limit. */
export async function tryInstallSize(project: string): Promise<string | undefined> {
  const sizes = [...(await installedSizes(project))].toSorted(([, a], [, b]) => b - a);
  const megabytes = sizes.reduce((sum, [, bytes]) => sum + bytes, 0) / 1e6;
  if (megabytes <= maxInstallMegabytes) return undefined;
  const largest = sizes.slice(0, 5).map(([name, bytes]) => `${name} ${Math.round(bytes / 1e6)} MB`);
  return `An install takes ${Math.round(megabytes)} MB, and may take ${maxInstallMegabytes} MB. The largest packages: ${largest.join(", ")}.`;
}
