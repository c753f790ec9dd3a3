import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Clock, CapstanError } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { z } from "zod";

/** Encrypts values, each for its name, so that only this installation can read them. */
export interface ValueSealer {
  seal(owner: string, text: string): string;
  open(
    owner: string,
    sealed: string,
  ): { readonly status: "opened"; readonly text: string } | { readonly status: string };
}

/** A stored value, without its text. */
export interface StoredValue {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly setAt: number;
  /** False if it was encrypted with another secret key. */
  readonly isReadable: boolean;
}

/** The environment values of an installation for its scripts. See `openScriptValues`. */
export type ScriptValues = ReturnType<typeof openScriptValues>;

/** The longest value, in characters. */
export const maxValueLength = 10_000;
const maxValues = 200;

/** Valid names of values, which are names of environment variables. */
export const valueName = /^[A-Za-z_]\w{0,199}$/;

const keptValue = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(valueName),
  sealed: z.string(),
  setAt: z.number(),
});

/**
 * Opens the environment values that administrators set for scripts. Each is an encrypted file in a
 * folder of the data directory, which tools and scripts cannot access. The next call uses a value
 * that another process sets.
 *
 * @param options.folder a folder for values only; it is created when the first value is set
 * @example
 * const values = openScriptValues({ folder: join(dataDir, "scripts/values"), sealer });
 * values.set("WEATHER_KEY", "abc");
 */
export function openScriptValues(options: {
  readonly folder: string;
  readonly sealer: ValueSealer;
  /** Values of one purpose cannot be read as those of another. @default "script-value" */
  readonly purpose?: string;
  /** @default the system's clock */
  readonly clock?: Clock;
}) {
  const { folder, sealer, purpose = "script-value", clock = systemClock } = options;
  /** Values are encrypted for their names, so that a copy under another name cannot be read. */
  const ownerOf = (name: string) => `${purpose}:${name}`;
  const open = ({ name, sealed }: z.infer<typeof keptValue>): string | undefined => {
    try {
      const opened = sealer.open(ownerOf(name), sealed);
      return "text" in opened ? opened.text : undefined;
    } catch (thrown) {
      // The file of the key is corrupt: the value cannot be read, as with another key.
      if (CapstanError.isInstance(thrown)) return undefined;
      throw thrown;
    }
  };
  const list = (): readonly StoredValue[] =>
    filesIn(folder)
      .flatMap((file) => readKept(folder, file) ?? [])
      .map((kept) => ({
        name: kept.name,
        setAt: kept.setAt,
        isReadable: open(kept) !== undefined,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const write = (kept: z.infer<typeof keptValue>): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const draft = join(folder, `${randomUUID()}.tmp`);
    writeFileSync(draft, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, join(folder, fileOf(kept.name)));
  };
  return {
    list,
    /**
     * Returns the values of these names that are stored, and the names whose value cannot be read.
     */
    read(names: readonly string[]): {
      readonly values: { readonly [name: string]: string };
      readonly unreadable: readonly string[];
    } {
      const values: { [name: string]: string } = {};
      const unreadable: string[] = [];
      for (const name of names) {
        const kept = valueName.test(name) ? readKept(folder, fileOf(name)) : undefined;
        if (kept === undefined) continue;
        const text = open(kept);
        if (text === undefined) unreadable.push(name);
        else values[name] = text;
      }
      return { values, unreadable };
    },
    /**
     * Sets or replaces a value.
     *
     * @returns the field that is invalid, with the reason, or `undefined`
     */
    set(
      name: string,
      value: string,
    ): { readonly field: "name" | "value"; readonly message: string } | undefined {
      if (!valueName.test(name))
        return {
          field: "name",
          message: "expected letters, digits and _ such as WEATHER_KEY, at most 200.",
        };
      if (value === "" || value.length > maxValueLength || value.includes("\0"))
        return {
          field: "value",
          message: `expected 1 to ${maxValueLength} characters without the character U+0000.`,
        };
      const files = filesIn(folder);
      if (files.length >= maxValues && !files.includes(fileOf(name)))
        return { field: "name", message: `${maxValues} values are set. Remove one first.` };
      write({ version: 1, name, sealed: sealer.seal(ownerOf(name), value), setAt: clock.now() });
      return undefined;
    },
    /**
     * Encrypts all values with the sealer's current key. If the process ends before the last one,
     * the others remain readable with the older keys, and a further call encrypts them.
     *
     * @returns the number of encrypted values, and the names of those that no key decrypts
     */
    encryptAgain(): { readonly count: number; readonly unreadable: readonly string[] } {
      const unreadable: string[] = [];
      let count = 0;
      for (const file of filesIn(folder)) {
        const kept = readKept(folder, file);
        if (kept === undefined) continue;
        const text = open(kept);
        if (text === undefined) unreadable.push(kept.name);
        else {
          write({ ...kept, sealed: sealer.seal(ownerOf(kept.name), text) });
          count++;
        }
      }
      return { count, unreadable: unreadable.sort() };
    },
    /**
     * Removes a value.
     *
     * @returns whether there was one
     */
    remove(name: string): boolean {
      try {
        unlinkSync(join(folder, fileOf(name)));
        return true;
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
        throw thrown;
      }
    },
  };
}

/** A hash, because names that differ only in case are one file on some systems. */
function fileOf(name: string): string {
  return `${createHash("sha256").update(name).digest("hex")}.json`;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

/** Returns `undefined` for a file that is missing, or that Capstan did not write. */
function readKept(folder: string, file: string): z.infer<typeof keptValue> | undefined {
  try {
    const kept = keptValue.parse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    return fileOf(kept.name) === file ? kept : undefined;
  } catch {
    return undefined;
  }
}
