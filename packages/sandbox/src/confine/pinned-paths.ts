import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { CapstanError } from "@capstan/core";

/** Linux: opens a path without reading it. Node.js has no constant for it. */
const pathOnly = 0x20_0000;

/** Paths that were opened, so that a program cannot replace them before they are mounted. */
export interface PinnedPaths {
  /** The open descriptors. */
  readonly descriptors: readonly number[];
  /**
   * Opens a path without symbolic links.
   *
   * @returns its index in `descriptors`
   * @throws CapstanError `folder_changed` if a link is in the path
   */
  pin(path: string): number;
  /** Closes the descriptors. */
  close(): void;
}

/** Creates an empty set of pinned paths. */
export function pinnedPaths(): PinnedPaths {
  const descriptors: number[] = [];
  return {
    descriptors,
    pin(path) {
      const descriptor = openPath(path);
      descriptors.push(descriptor);
      // The path could have become a link a moment ago.
      if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw changed(path);
      return descriptors.length - 1;
    },
    close: () => {
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
    },
  };
}

function openPath(path: string): number {
  try {
    return openSync(path, pathOnly | constants.O_NOFOLLOW);
  } catch {
    throw changed(path);
  }
}

function changed(path: string): CapstanError {
  return new CapstanError({
    code: "folder_changed",
    message: `${JSON.stringify(path)} was replaced while a program that must not change it was starting. Nothing was run. Try again.`,
  });
}

const known = new Map<string, boolean>();

/** Returns whether this bubblewrap mounts open descriptors: version 0.8 and later do. */
export function mountsDescriptors(bubblewrap: string): boolean {
  const found =
    known.get(bubblewrap) ??
    spawnSync(bubblewrap, ["--help"], { encoding: "utf8" }).stdout?.includes("--ro-bind-fd") ??
    false;
  known.set(bubblewrap, found);
  return found;
}
