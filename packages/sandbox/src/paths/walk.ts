import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/core";

/** How many entries several walks look at together. */
export interface WalkBudget {
  readonly most: number;
  seen: number;
  /** The error message for a folder with more entries. */
  readonly tooMany: (folder: string, most: string) => string;
}

/**
 * Walks what is below a folder and follows no links. `enter` says whether to look into a folder.
 *
 * @throws CapstanError `too_many_files`
 */
export async function walk(
  folder: string,
  budget: WalkBudget,
  enter: (below: string, entry: Dirent) => boolean | Promise<boolean>,
): Promise<void> {
  const folders = [""];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
    budget.seen += entries.length;
    if (budget.seen > budget.most)
      throw new CapstanError({
        code: "too_many_files",
        message: budget.tooMany(folder, budget.most.toLocaleString("en-US")),
      });
    for (const entry of entries) {
      const below = at === "" ? entry.name : `${at}/${entry.name}`;
      if ((await enter(below, entry)) && entry.isDirectory()) folders.push(below);
    }
  }
}
