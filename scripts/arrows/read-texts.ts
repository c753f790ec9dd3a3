import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { architecturePage } from "./check-page.ts";
import { isSourcePath } from "./source-file.ts";

const roots = ["bench", "docs", "examples", "packages", "scripts", "test"];
const skipped = new Set(["dist", "node_modules"]);

/**
 * Reads all source files, the packages' package.json and the architecture page.
 *
 * @returns the texts by path from `root`, with slashes
 */
export function readTexts(root: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !entry.name.startsWith(".")) read(path);
      } else if (isRead(path)) texts.set(path, readFileSync(join(root, path), "utf8"));
    }
  };
  for (const folder of roots) if (existsSync(join(root, folder))) read(folder);
  return texts;
}

function isRead(path: string): boolean {
  return (
    isSourcePath(path) || path === architecturePage || /^packages\/[^/]+\/package\.json$/.test(path)
  );
}
