import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CapstanError } from "@capstan/core";

/** Seals texts that clients keep, so that only this installation can read them. */
export interface Sealer {
  /**
   * Encrypts a text for its owner.
   *
   * @param options.isRepeatable the same text of one owner always gets the same sealed form, because
   * its nonce is computed from it. @default false
   */
  seal(owner: string, text: string, options?: { readonly isRepeatable?: boolean }): string;
  /**
   * Returns the text. `foreign`: another server wrote it; `invalid`: it is corrupt, or was sealed
   * for another owner or with another key.
   */
  open(
    owner: string,
    sealed: string,
  ):
    | { readonly status: "opened"; readonly text: string }
    | { readonly status: "foreign" | "invalid" };
}

const prefix = "capstan1.";
const cipher = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** A sealer whose key can be replaced. */
export interface RotatableSealer extends Sealer {
  /**
   * Seals with a new key from now on. Still opens values that were sealed with the older keys, which
   * remain in the file. A shared secret is not changed: its administrator sets a new one.
   */
  rotate(): void;
}

/**
 * Opens the sealing key of a data directory, which is created when it is first needed.
 *
 * @param secret a secret that several servers share; their key is then derived from it. @default
 * each data directory has a key of its own
 * @param previousSecret the shared secret before the current one: opens, and does not seal
 *
 * @example
 * const sealer = openSealer({ folder: dataDir });
 * const sealed = sealer.seal("ann", "A summary.");
 */
export function openSealer({
  folder,
  secret,
  previousSecret,
}: {
  readonly folder: string;
  readonly secret?: string | undefined;
  readonly previousSecret?: string | undefined;
}): RotatableSealer {
  let keys: readonly Buffer[] | undefined;
  let version = "";
  const readAll = (): readonly Buffer[] => {
    const shared = [secret, previousSecret].filter((one) => one !== undefined).map(derivedKey);
    return [...shared, ...(readKeys(folder) ?? (secret === undefined ? [createKey(folder)] : []))];
  };
  const load = (): readonly [Buffer, ...Buffer[]] => {
    // Another sealer of the folder, here or in another process, can add a key.
    const now = versionOf(folder);
    if (keys === undefined || now !== version) {
      keys = readAll();
      version = versionOf(folder);
    }
    return keys as readonly [Buffer, ...Buffer[]];
  };
  const current = (): Buffer => load()[0];

  return {
    seal(owner, text, { isRepeatable = false } = {}) {
      const nonce = isRepeatable ? nonceOf(current(), owner, text) : randomBytes(nonceBytes);
      const encrypt = createCipheriv(cipher, current(), nonce, { authTagLength: tagBytes });
      encrypt.setAAD(Buffer.from(owner));
      const parts = [nonce, encrypt.update(text, "utf8"), encrypt.final(), encrypt.getAuthTag()];
      return prefix + Buffer.concat(parts).toString("base64url");
    },

    open(owner, sealed) {
      if (!sealed.startsWith(prefix)) return { status: "foreign" };
      const bytes = Buffer.from(sealed.slice(prefix.length), "base64url");
      if (bytes.length < nonceBytes + tagBytes) return { status: "invalid" };
      for (const key of load()) {
        const text = opened(key, owner, bytes);
        if (text !== undefined) return { status: "opened", text };
      }
      return { status: "invalid" };
    },

    rotate() {
      if (secret !== undefined) return;
      const all = [randomBytes(keyBytes), ...load()];
      const draft = `${fileOf(folder)}.${randomBytes(8).toString("hex")}`;
      const lines = all.map((key) => `${key.toString("base64url")}\n`);
      writeFileSync(draft, lines.join(""), { mode: 0o600, flag: "wx", flush: true });
      renameSync(draft, fileOf(folder));
      keys = undefined;
    },
  };
}

function opened(key: Buffer, owner: string, bytes: Buffer): string | undefined {
  const nonce = bytes.subarray(0, nonceBytes);
  const decrypt = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  decrypt.setAAD(Buffer.from(owner));
  decrypt.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const parts = [decrypt.update(bytes.subarray(nonceBytes, -tagBytes)), decrypt.final()];
    return Buffer.concat(parts).toString("utf8");
  } catch {
    return undefined;
  }
}

function derivedKey(secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "capstan sealing", keyBytes));
}

/** Returns a nonce that two different texts share only if a hash collides. */
function nonceOf(key: Buffer, owner: string, text: string): Buffer {
  const subkey = createHmac("sha256", key).update("nonce").digest();
  const hash = createHmac("sha256", subkey)
    .update(JSON.stringify([owner, text]))
    .digest();
  return hash.subarray(0, nonceBytes);
}

function fileOf(folder: string): string {
  return join(folder, "sealing.key");
}

/** Returns a text that changes when the file of the keys is replaced. */
function versionOf(folder: string): string {
  const stats = statSync(fileOf(folder), { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

/** Returns the keys of the file, the current one first. */
function readKeys(folder: string): readonly Buffer[] | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(folder), "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
  const keys = text
    .trim()
    .split("\n")
    .map((line) => Buffer.from(line.trim(), "base64url"));
  const corrupt = keys.find((key) => key.length !== keyBytes);
  if (corrupt === undefined) return keys;
  throw new CapstanError({
    code: "sealing_key_corrupt",
    message: `The file ${fileOf(folder)} must contain keys of ${keyBytes} bytes as Base64, and has ${corrupt.length} bytes. Restore it from a backup, or delete it: summaries that clients keep and stored credentials can then no longer be read.`,
  });
}

/** Creates the file completely or not at all; of several processes, one creates it. */
function createKey(folder: string): Buffer {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(folder);
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  const key = randomBytes(keyBytes);
  writeFileSync(draft, key.toString("base64url"), { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
    return key;
  } catch (thrown) {
    const [other] = readKeys(folder) ?? [];
    if (other !== undefined) return other;
    throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}
