import { existsSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";

/** How many programs need each folder that was made to hold a name. */
const holders = new Map<string, number>();

/**
 * Makes an empty folder for each path that is not there, so that it can be bound read-only: no program
 * can then make it. They are taken away again with the last program that needs them.
 *
 * @returns what takes them away
 */
export function holdNames(paths: readonly string[]): () => void {
  const held = paths.filter((path) => {
    if (holders.has(path)) return true;
    if (isThere(path) || !existsSync(dirname(path))) return false;
    try {
      mkdirSync(path);
    } catch {
      // If this process cannot create it there, its programs cannot either.
      return false;
    }
    return true;
  });
  for (const path of held) holders.set(path, (holders.get(path) ?? 0) + 1);
  return () => {
    for (const path of held) {
      const left = (holders.get(path) ?? 1) - 1;
      if (left > 0) holders.set(path, left);
      else {
        holders.delete(path);
        removeEmpty(path);
      }
    }
  };
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The user has created something there meanwhile.
  }
}
