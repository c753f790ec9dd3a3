import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandFailure } from "../arguments/command.ts";
import { connectTexts } from "../texts/connect.ts";

const texts = connectTexts.file;

/** The largest configuration file that is edited, in bytes. */
const largest = 16 * 1_048_576;

/** A configuration file before a change. */
export interface ClientFile {
  /** The path that the client uses. */
  readonly path: string;
  /** The file to replace: the target if the path is a link. */
  readonly target: string;
  /** `undefined` if there is no file. */
  readonly text: string | undefined;
  /** The permissions, as in `0o644`. */
  readonly mode: number | undefined;
}

/**
 * Reads a configuration file.
 *
 * @throws CommandFailure if it cannot be read, is not a text file, or is too large
 */
export async function readClientFile(path: string): Promise<ClientFile> {
  try {
    const target = await realpath(path).catch(async (thrown: unknown) => {
      // A link to a missing file must not be replaced by a file.
      if (await lstat(path).then(Boolean, () => false)) throw thrown;
      return path;
    });
    const found = await stat(target).catch(() => undefined);
    if (found === undefined) return { path, target, text: undefined, mode: undefined };
    if (!found.isFile()) throw new Error(texts.noFile);
    if (found.size > largest) throw new Error(texts.tooLarge(largest));
    const bytes = await readFile(target);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith("\uFEFF")) throw new Error(texts.byteOrderMark);
    return { path, target, text, mode: found.mode & 0o777 };
  } catch (thrown) {
    throw new CommandFailure(texts.unreadable(path, reasonOf(thrown)), 1);
  }
}

/**
 * Replaces a configuration file atomically: a client that reads it meanwhile gets the old or the
 * new text. An `undefined` text removes the file.
 *
 * @throws CommandFailure if the file has changed since it was read, or cannot be written
 */
export async function writeClientFile(
  file: ClientFile,
  { text, mode }: { readonly text: string | undefined; readonly mode: number },
): Promise<void> {
  const { path, target } = file;
  const next = `${target}.${randomBytes(6).toString("hex")}.new`;
  try {
    if (text !== undefined) {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      const handle = await open(next, "wx", mode);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      // The umask can have removed permissions.
      await chmod(next, mode);
    }
    const now = await readFile(target, "utf8").catch(() => undefined);
    if (now !== file.text) throw new CommandFailure(texts.changed(path), 1);
    if (text === undefined) await rm(target, { force: true });
    else await rename(next, target);
  } catch (thrown) {
    await rm(next, { force: true }).catch(() => {});
    if (thrown instanceof CommandFailure) throw thrown;
    throw new CommandFailure(texts.unwritable(path, reasonOf(thrown)), 1);
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
