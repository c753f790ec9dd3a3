import { existsSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";

/** The number of programs that use each placeholder folder. */
const holders = new Map<string, number>();

/**
 * Creates an empty folder for each missing path, so that the path can be bound read-only and no
 * program can create it. The folders are removed with the last program that needs them.
 *
 * @returns a function that removes them
 */
export function holdNames(paths: readonly string[]): () => void {
  const held = paths.filter((path) => {
    if (holders.has(path)) return true;
    if (isThere(path) || !existsSync(dirname(path))) return false;
    try {
      mkdirSync(path);
    } catch {
      // If this process cannot create the folder, its programs cannot either.
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

/** Whether a path is an empty folder that `holdNames` created and has not removed yet. */
export function isPlaceholder(path: string): boolean {
  return holders.has(path);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The user has created something there in the meantime.
  }
}
