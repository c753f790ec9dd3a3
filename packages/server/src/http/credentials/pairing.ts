import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@capstan/core";
import { newId, systemClock } from "@capstan/core/host";
import { z } from "zod";
import { hashOf, isSame, newToken } from "./token.ts";

/** Milliseconds for which a code pairs a browser. */
const codeMs = 10 * 60_000;
/** Milliseconds without use after which a session ends. */
const unusedMs = 90 * 24 * 3_600_000;
/** Shortest time between two recorded uses of a session, in milliseconds. */
const noteEveryMs = 3_600_000;

const stored = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      tokenHash: z.string(),
      antiForgeryHash: z.string(),
      createdAt: z.number(),
      usedAt: z.number(),
    }),
  ),
});

/** A paired browser. Only hashes of its tokens are stored. */
export type Session = z.infer<typeof stored>["sessions"][number];

/** Pairs browsers and terminals with the user who runs the server. */
export type Pairing = ReturnType<typeof openPairing>;

/**
 * Opens the sessions of a data directory, which survive restarts of the server.
 *
 * @param options.folder the data directory; nothing is written before a browser is paired or the server listens
 * @example const pairing = openPairing({ folder: dataDir });
 */
export function openPairing({
  folder,
  clock = systemClock,
}: {
  readonly folder: string;
  readonly clock?: Clock;
}) {
  const file = join(folder, "sessions.json");
  /** Expiry times by the hash of a code, in terms of `Clock.monotonic`. */
  const codes = new Map<string, number>();
  const terminalKey = newToken();
  let terminalFile: string | undefined;

  // The file is read each time, because another server can use the same directory. Only requests of
  // paired browsers cause a read.
  const read = (): readonly Session[] => {
    const oldest = clock.now() - unusedMs;
    return readSessions(file).filter(({ usedAt }) => usedAt > oldest);
  };
  const write = (sessions: readonly Session[]) => {
    makePrivate(folder);
    writePrivate(`${file}.new`, JSON.stringify({ sessions }, null, 2));
    renameSync(`${file}.new`, file);
  };

  return {
    /** Returns a code that opens one session. Only its hash is stored, in memory. */
    createCode(): { readonly code: string; readonly expiresAt: number } {
      const now = clock.monotonic();
      for (const [hash, end] of codes) if (end <= now) codes.delete(hash);
      const code = newToken();
      codes.set(hashOf(code), now + codeMs);
      return { code, expiresAt: clock.now() + codeMs };
    },

    /** Opens a session, or returns `undefined` if the code is unknown, used or expired. */
    redeem(code: string, name: string) {
      const hash = hashOf(code);
      const end = codes.get(hash) ?? -Infinity;
      codes.delete(hash);
      if (end <= clock.monotonic()) return undefined;
      const now = clock.now();
      const token = newToken();
      const antiForgeryToken = newToken();
      const session: Session = {
        id: newId("sess_"),
        name,
        tokenHash: hashOf(token),
        antiForgeryHash: hashOf(antiForgeryToken),
        createdAt: now,
        usedAt: now,
      };
      write([...read(), session]);
      return { session, token, antiForgeryToken };
    },

    /**
     * Returns whether a request comes from a paired browser. The cookie alone does not prove it: browsers
     * send cookies to every port of a host, so another server of that host can read them.
     */
    isPaired({
      token,
      antiForgeryToken,
    }: {
      readonly token: string;
      readonly antiForgeryToken: string;
    }): boolean {
      const sessions = read();
      const hash = hashOf(token);
      const found = sessions.find(({ tokenHash }) => isSame(tokenHash, hash));
      if (found === undefined) return false;
      if (!isSame(found.antiForgeryHash, hashOf(antiForgeryToken))) return false;
      const now = clock.now();
      if (now - found.usedAt >= noteEveryMs)
        write(sessions.map((each) => (each === found ? { ...each, usedAt: now } : each)));
      return true;
    },

    list: read,

    /** Ends a session. Returns whether there was one. */
    revoke(id: string): boolean {
      const sessions = read();
      const left = sessions.filter((session) => session.id !== id);
      if (left.length < sessions.length) write(left);
      return left.length < sessions.length;
    },

    /** Whether a key is the one in the data directory, which this user's terminals send. */
    isTerminal: (key: string): boolean => isSame(hashOf(terminalKey), hashOf(key)),

    /**
     * Writes the terminals' key to a file that only this user can read. Each start of the server
     * creates a new key.
     */
    announce(port: number): void {
      makePrivate(folder);
      terminalFile = terminalKeyFile(folder, port);
      writePrivate(terminalFile, terminalKey);
    },

    close(): void {
      if (terminalFile !== undefined) rmSync(terminalFile, { force: true });
    },
  };
}

/** The file with the key that pairs this user's terminals with the server on a port. */
export function terminalKeyFile(dataDir: string, port: number): string {
  return join(dataDir, `terminal-${port}.key`);
}

/**
 * The page's address with a code after the `#`, which neither logs nor `Referer` headers contain.
 */
export function pairingLink(url: string, code: string): string {
  // Browsers cannot open 0.0.0.0; the server always accepts the name 127.0.0.1.
  return `${url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1")}/#pair=${code}`;
}

function readSessions(file: string): readonly Session[] {
  try {
    return stored.parse(JSON.parse(readFileSync(file, "utf8"))).sessions;
  } catch {
    // The file is missing or corrupt: browsers must be paired again.
    return [];
  }
}

function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Creates the file again, because writing to an existing file keeps its mode. */
function writePrivate(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}
