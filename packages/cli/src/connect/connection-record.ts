import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@capstan/core";
import { programFolder } from "@capstan/server";
import { z } from "zod";

const stored = z.object({
  /** The client's configuration file. */
  path: z.string(),
  type: z.enum(["http", "stdio"]),
  /** The hash of the written text. */
  written: z.string(),
  /** Whether the file existed before, and its permissions. */
  existed: z.boolean(),
  mode: z.number(),
  /** The entry with the same name that was replaced. */
  replaced: z.unknown().optional(),
  /** Whether the object with all servers was created with the entry. */
  createdList: z.boolean(),
  /** The id of the input that asks for the key. */
  inputId: z.string().optional(),
});

/** The change that `capstan connect` made in a client's configuration file. */
export type ConnectionRecord = Omit<z.infer<typeof stored>, "replaced"> & {
  readonly replaced?: JsonValue | undefined;
};

/** The files about a connected client in the data directory, which only the user can read. */
export function connectionFiles(dataDir: string, client: string) {
  const folder = programFolder(dataDir);
  const [record, backup, key] = ["connection", "backup", "key"].map((kind) =>
    join(folder, `${client}.${kind}`),
  ) as [string, string, string];
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return undefined;
    }
  };
  const write = (file: string, text: string): void => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, text, { mode: 0o600, flag: "wx" });
    renameSync(`${file}.new`, file);
  };
  return {
    keyFile: key,
    readKey: () => read(key)?.trim(),
    writeKey: (text: string) => write(key, `${text}\n`),
    removeKey: () => rmSync(key, { force: true }),

    /**
     * Returns the record, or `undefined` if the client is not connected or the record is corrupt.
     */
    readRecord(): ConnectionRecord | undefined {
      try {
        return stored.parse(JSON.parse(read(record) ?? "")) as ConnectionRecord;
      } catch {
        return undefined;
      }
    },
    /** Stores the record, and the text of the file before the change. */
    writeRecord(value: ConnectionRecord, before: string | undefined): void {
      write(backup, before ?? "");
      write(record, JSON.stringify(value, null, 2));
    },
    readBackup: () => read(backup),
    remove(): void {
      for (const file of [record, backup, key]) rmSync(file, { force: true });
    },
  };
}

/** Returns the hash that identifies a written text. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
