import { randomUUID } from "node:crypto";
import { type FSWatcher, mkdirSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseStored, type StoredConnection } from "./stored-connection.ts";

/** The stored definitions of connections. */
export type DefinitionFiles = ReturnType<typeof openDefinitionFiles>;

/**
 * Opens the folder with one file per connection. It is in the data directory, which tools cannot
 * access, so no tool can accept definitions.
 *
 * @param folder absolute; created at the first write
 */
export function openDefinitionFiles(folder: string) {
  let watcher: FSWatcher | undefined;
  const fileOf = (name: string) => join(folder, `${name}.json`);
  return {
    read(name: string): StoredConnection | undefined {
      try {
        return parseStored(readFileSync(fileOf(name), "utf8"));
      } catch {
        return undefined;
      }
    },
    write(name: string, connection: StoredConnection): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `.${name}.${randomUUID()}`);
      writeFileSync(draft, JSON.stringify(connection), { mode: 0o600 });
      renameSync(draft, fileOf(name));
    },
    /** Calls the listener after another process, such as the command line, changed a file. */
    watch(changed: (name: string) => void): void {
      if (watcher !== undefined) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      watcher = watch(folder, { persistent: false }, (_event, file) => {
        if (file?.endsWith(".json") === true && !file.startsWith("."))
          changed(file.slice(0, -".json".length));
      });
    },
    close: () => watcher?.close(),
  };
}
