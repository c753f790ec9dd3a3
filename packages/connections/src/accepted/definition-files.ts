import { randomUUID } from "node:crypto";
import {
  type FSWatcher,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** The stored definitions of connections. */
export interface DefinitionFiles<T> {
  /** Returns the definitions of a connection; undefined if there are none. */
  read(name: string): T | undefined;
  write(name: string, stored: T): void;
  remove(name: string): void;
  /** Calls the listener after another process, such as the command line, changed a file. */
  watch(changed: (name: string) => void): void;
  close(): void;
}

/**
 * Opens the folder with one file per connection. It is in the data directory, which tools cannot
 * access, so no tool can accept definitions.
 *
 * @param folder absolute; created at the first write
 * @param parse reads the text of a file; undefined if it is invalid
 */
export function openDefinitionFiles<T>(
  folder: string,
  parse: (text: string) => T | undefined,
): DefinitionFiles<T> {
  let watcher: FSWatcher | undefined;
  const fileOf = (name: string) => join(folder, `${name}.json`);
  return {
    read(name) {
      try {
        return parse(readFileSync(fileOf(name), "utf8"));
      } catch {
        return undefined;
      }
    },
    write(name, stored) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `.${name}.${randomUUID()}`);
      writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 });
      renameSync(draft, fileOf(name));
    },
    remove(name) {
      rmSync(fileOf(name), { force: true });
    },
    watch(changed) {
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
