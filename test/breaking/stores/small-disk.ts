import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk or database that can be filled. */
export interface Room {
  /** Fills the disk up to the given number of free bytes. */
  fill(leave: number): void;
  free(): void;
}

/** A small file system in memory. It is unmounted when the process exits, or earlier. */
export interface SmallDisk extends Room, AsyncDisposable {
  readonly path: string;
}

let reason: string | undefined | null = null;

/** The reason why no disk can be mounted here, or `undefined` if one can. */
export function cannotMount(): string | undefined {
  if (reason !== null) return reason;
  try {
    const path = mount(1);
    spawnSync("umount", [path]);
    rmSync(path, { recursive: true });
    reason = undefined;
  } catch {
    reason = "a small file system can be mounted here by nobody, or by root alone";
  }
  return reason;
}

export function openSmallDisk(megabytes: number): SmallDisk {
  const path = mount(megabytes);
  const ballast = join(path, "ballast");
  process.prependOnceListener("exit", remove);

  function remove(): void {
    process.off("exit", remove);
    // A process that is exiting may still have open files.
    spawnSync("umount", ["--lazy", path]);
    rmSync(path, { recursive: true, force: true });
  }

  return {
    path,
    fill(leave) {
      const { bavail, bsize } = statfsSync(path);
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leave)));
      } catch (error) {
        // Another process filled the disk first.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    [Symbol.asyncDispose]: async () => remove(),
  };
}

function mount(megabytes: number): string {
  const path = mkdtempSync(join(tmpdir(), "capstan-disk-"));
  const { status } = spawnSync("mount", [
    "-t",
    "tmpfs",
    "-o",
    `size=${megabytes}m,mode=755`,
    "capstan-small-disk",
    path,
  ]);
  if (status === 0) return path;
  rmSync(path, { recursive: true });
  throw new Error("A small file system could not be mounted.");
}
