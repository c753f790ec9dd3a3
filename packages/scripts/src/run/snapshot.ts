import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { toolError, type ToolError } from "@capstan/core";
import { makeTemporaryFolder } from "@capstan/sandbox";
import type { Script } from "../definition/script-function.ts";

/**
 * A copy of a script's approved files. The copy runs, so later changes of the files have no effect.
 */
export interface Snapshot {
  /** The absolute path. */
  readonly folder: string;
  /** Releases the copy; the last release deletes it. */
  release(): void;
}

/** Copies of scripts, one for each content, which the workers share. */
export class Snapshots {
  readonly #copies = new Map<string, { readonly copy: Promise<string>; users: number }>();

  /**
   * Copies a script's files and compares their digest with that of the read version: a file that
   * has changed since does not run.
   */
  async take(script: Script): Promise<Snapshot | ToolError> {
    const key = script.contentHash;
    const shared = this.#copies.get(key);
    const known = shared ?? { copy: copyFiles(script), users: 0 };
    this.#copies.set(key, known);
    known.users++;
    const release = () => {
      known.users--;
      if (known.users > 0) return;
      if (this.#copies.get(key) === known) this.#copies.delete(key);
      void known.copy.then(
        (folder) => rmSync(folder, { recursive: true, force: true }),
        () => {},
      );
    };
    try {
      const folder = await known.copy;
      let released = false;
      return {
        folder,
        release: () => {
          if (!released) release();
          released = true;
        },
      };
    } catch {
      if (this.#copies.get(key) === known) this.#copies.delete(key);
      release();
      // Another call began this copy, perhaps while the files were being written.
      if (shared !== undefined) return this.take(script);
      return toolError({
        code: "script_changed",
        message: `${script.path} was changed a moment ago. Call it again.`,
        retryable: true,
      });
    }
  }
}

async function copyFiles({ folder: from, files, contentHash }: Script): Promise<string> {
  const folder = makeTemporaryFolder();
  try {
    const hash = createHash("sha256");
    for (const name of files) {
      const content = await readFile(join(from, name));
      hash.update(`${Buffer.byteLength(name)} ${name} ${content.length}\n`).update(content);
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content, { mode: 0o444 });
    }
    if (`sha256:${hash.digest("hex")}` !== contentHash) throw new Error("It changed.");
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Creates the mount points in a copy. */
export function prepareFolders(snapshot: Snapshot, names: readonly string[]): void {
  for (const name of names) mkdirSync(join(snapshot.folder, name), { recursive: true });
}
