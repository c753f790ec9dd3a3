import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError } from "@capstan/core";

/** The limit on entries that several walks read together, and the count so far. */
export interface WalkBudget {
  readonly most: number;
  seen: number;
  /** The error message for a folder with more entries. */
  readonly tooMany: (folder: string, most: string) => string;
}

/**
 * Walks the entries below a folder without following links. `enter` returns whether to enter a
 * folder.
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
