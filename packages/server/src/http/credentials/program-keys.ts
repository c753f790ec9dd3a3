import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { z } from "zod";
import { hashOf, isSame, newToken } from "./token.ts";

/** Shortest time between two recorded uses of a key, in milliseconds. */
const noteEveryMs = 60_000;
/**
 * Milliseconds after a change during which each request reads the folder again. Two changes within
 * the resolution of the file system's timestamps look like one.
 */
const unsettledMs = 3_000;
/** The prefix of all program keys, which identifies them even after they are revoked. */
const prefix = "capstan-program-";

const stored = z.object({ keyHash: z.string(), createdAt: z.number() });

/** A program that a user has connected, with its own key. */
export interface ConnectedProgram {
  /** The client, such as `codex`. */
  readonly name: string;
  /** The owner of all data that its key creates. No configured key can have this name. */
  readonly principal: string;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** The time of the last use, accurate to a minute, or absent if the key was never used. */
  readonly usedAt: number | undefined;
}

/** The keys of the programs that the user of a server has connected. */
export type ProgramKeys = ReturnType<typeof openProgramKeys>;

/** The folder of the data directory with the keys of programs, one file each. */
export function programFolder(dataDir: string): string {
  return join(dataDir, "programs");
}

/** A configured key's name has no colon, so that no key has the principal of a program. */
const principalPrefix = "program:";

/** Returns the principal of a program. */
export function programPrincipal(name: string): string {
  return `${principalPrefix}${name}`;
}

/** Returns the name of the program whose principal this is, if it is one. */
export function programOf(principal: string): string | undefined {
  return principal.startsWith(principalPrefix)
    ? principal.slice(principalPrefix.length)
    : undefined;
}

/**
 * Opens the keys of programs in a data directory. Servers and commands use the same files at the
 * same time, so each request compares the folder's time with the known one. A change takes effect
 * at the next request.
 *
 * @param options.folder the data directory
 * @example const keys = openProgramKeys({ folder: dataDir });
 */
export function openProgramKeys({
  folder: dataDir,
  clock = systemClock,
}: {
  readonly folder: string;
  readonly clock?: Clock;
}) {
  const folder = programFolder(dataDir);
  const fileOf = (name: string) => join(folder, `${name}.json`);
  let known: { readonly version: string; readonly keys: readonly StoredKey[] } | undefined;
  const noted = new Map<string, number>();

  function read(): readonly StoredKey[] {
    const stat = statSync(folder, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return [];
    const version = `${stat.ino} ${stat.mtimeNs}`;
    if (known?.version === version) return known.keys;
    const keys = readKeys(folder);
    const isSettled = Date.now() - Number(stat.mtimeMs) > unsettledMs;
    known = isSettled ? { version, keys } : undefined;
    return keys;
  }

  function noteUse({ name, keyHash }: StoredKey): void {
    const now = clock.now();
    if (now - (noted.get(keyHash) ?? -Infinity) < noteEveryMs) return;
    noted.set(keyHash, now);
    const file = join(folder, `${name}.used`);
    try {
      writeFileSync(file, "", { mode: 0o600, flag: "a" });
      utimesSync(file, now / 1_000, now / 1_000);
    } catch {
      // The key also works if the disk is full or read-only.
    }
  }

  return {
    /** Whether any program is connected, including those whose file is corrupt. */
    any: (): boolean => read().length > 0,

    /** The connected programs, by name. */
    list: (): readonly ConnectedProgram[] =>
      read().map(({ name, createdAt }) => ({
        name,
        principal: programPrincipal(name),
        createdAt,
        usedAt: statSync(join(folder, `${name}.used`), { throwIfNoEntry: false })?.mtimeMs,
      })),

    /** Returns the principal of a key, or `undefined` for an unknown or revoked key. */
    principalOf(key: string): string | undefined {
      if (!key.startsWith(prefix)) return undefined;
      const hash = hashOf(key);
      let found: StoredKey | undefined;
      for (const each of read()) if (isSame(each.keyHash, hash)) found = each;
      if (found === undefined) return undefined;
      noteUse(found);
      return programPrincipal(found.name);
    },

    /** Whether a text has the form of a program's key, valid or not. */
    isProgramKey: (key: string): boolean => key.startsWith(prefix),

    /**
     * Creates a key for a program, and replaces an earlier one. Only its hash is stored.
     *
     * @returns the key, and a function that restores the earlier state
     */
    create(name: string): { readonly key: string; readonly restore: () => void } {
      if (!/^[a-z][a-z0-9-]{0,40}$/.test(name)) throw new TypeError(`Invalid name: ${name}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(name);
      const before = readText(file);
      const key = `${prefix}${newToken()}`;
      replaceFile(file, JSON.stringify({ keyHash: hashOf(key), createdAt: clock.now() }));
      rmSync(join(folder, `${name}.used`), { force: true });
      const restore = () => {
        if (before === undefined) rmSync(file, { force: true });
        else replaceFile(file, before);
      };
      return { key, restore };
    },

    /** Revokes the key of a program. Returns whether there was one. */
    revoke(name: string): boolean {
      const file = fileOf(name);
      const existed = readText(file) !== undefined;
      rmSync(file, { force: true });
      rmSync(join(folder, `${name}.used`), { force: true });
      return existed;
    },
  };
}

interface StoredKey {
  readonly name: string;
  readonly keyHash: string;
  readonly createdAt: number;
}

/** Returns all keys. A corrupt file yields a key that matches no request. */
function readKeys(folder: string): readonly StoredKey[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -".json".length);
      try {
        const text = readFileSync(join(folder, file), "utf8");
        return { name, ...stored.parse(JSON.parse(text)) };
      } catch {
        return { name, keyHash: "", createdAt: 0 };
      }
    });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Replaces a file atomically, so that readers never see a part of it. */
function replaceFile(file: string, text: string): void {
  const next = `${file}.${randomBytes(6).toString("hex")}.new`;
  writeFileSync(next, text, { mode: 0o600, flag: "wx" });
  renameSync(next, file);
}
