import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

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
