import type { JsonObject } from "@capstan/core";
import { openProgramKeys, programPrincipal } from "@capstan/server";
import { CommandFailure } from "../arguments/command.ts";
import type { Style } from "../terminal/style.ts";
import { connectTexts as texts } from "../texts/connect.ts";
import { changeDiff } from "./change-diff.ts";
import { type ClientFile, readClientFile, writeClientFile } from "./client-file.ts";
import type { Machine } from "./clients/client-paths.ts";
import type { ClientKind, CommandTarget } from "./clients/client.ts";
import { connectionFiles, hashOf } from "./connection-record.ts";
import { connectedText, hasList, restoredText, writtenEntry } from "./plan-change.ts";

/** The options that connecting and disconnecting share. */
export interface ConnectOptions {
  readonly kind: ClientKind;
  readonly dataDir: string;
  readonly machine: Machine;
  readonly style: Style;
  readonly write: (text: string) => void;
  /** Asks the user to confirm the change that is shown. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** The server that a client is connected to. */
export interface ConnectTarget {
  /** The URL, which ends in `/mcp`. */
  readonly url: string;
  /** The command that serves MCP on standard input and output. */
  readonly command: CommandTarget;
  /** @default over HTTP if the client can send a key */
  readonly stdio?: boolean | undefined;
}

const privateMode = 0o600;

/** Shows the entry of a client with a placeholder instead of a key. Changes nothing. */
export function printEntry(
  { kind, machine, write }: Pick<ConnectOptions, "kind" | "machine" | "write">,
  target: ConnectTarget,
): void {
  const { entry, inputId } = entryOf(kind, target, texts.keyPlaceholder);
  const path = kind.file(machine);
  write(
    `${texts.printed(path)}\n${connectedText(kind, { path, text: undefined }, { entry, inputId })}`,
  );
}

/**
 * Adds the server to a client's configuration, with a new key for this client, after the user
 * agreed.
 *
 * @returns whether it was connected
 * @throws CommandFailure if the file cannot be read, edited or written; nothing is changed then
 */
export async function connectClient(
  options: ConnectOptions,
  target: ConnectTarget,
): Promise<boolean> {
  const { kind, dataDir, machine, write, confirm } = options;
  const file = await readClientFile(kind.file(machine));
  const files = connectionFiles(dataDir, kind.name);
  const earlier = files.readRecord();
  const before = restoredText(
    kind,
    { path: file.path, text: file.text, mode: file.mode ?? privateMode },
    earlier && { record: earlier, backup: files.readBackup() },
  );
  const plan = (key: string) => {
    const made = entryOf(kind, target, key);
    return { ...made, text: connectedText(kind, { path: file.path, text: before.text }, made) };
  };
  const preview = plan(texts.keyPlaceholder);
  const replaced = writtenEntry(kind, { path: file.path, text: before.text });
  const isSecret = preview.keyIn === "file";
  write(`${texts.change(kind.title, file.path)}\n`);
  if (file.text === undefined) write(`${texts.created}\n`);
  write(changeDiff(file.text, preview.text, options.style));
  if (replaced !== undefined) write(`${texts.replaces(kind.path.join("."))}\n`);
  if (isSecret && file.target !== file.path) write(`${texts.link(file.target)}\n`);
  if (isSecret) write(`${texts.keyInFile(publicMode(file))}\n`);
  if (preview.keyIn === "asked") write(`${texts.keyAsked(files.keyFile)}\n`);
  if (preview.keyIn === "data") write(`${texts.keyInData(files.keyFile)}\n`);
  if (!(await confirm(texts.confirm))) {
    write(`${texts.notWritten}\n`);
    return false;
  }
  const isFirst = !openProgramKeys({ folder: dataDir }).any();
  const { key, restore } = openProgramKeys({ folder: dataDir }).create(kind.name);
  const keyBefore = files.readKey();
  const made = plan(key);
  try {
    if (isSecret) files.removeKey();
    else files.writeKey(key);
    const mode = isSecret ? privateMode : (file.mode ?? privateMode);
    await writeClientFile(file, { text: made.text, mode });
  } catch (thrown) {
    restore();
    if (keyBefore === undefined) files.removeKey();
    else files.writeKey(keyBefore);
    throw thrown;
  }
  files.writeRecord(
    {
      path: file.path,
      type: made.type,
      written: hashOf(made.text),
      existed: before.text !== undefined,
      mode: before.mode,
      replaced,
      createdList: !hasList(kind, before.text),
      ...(made.inputId !== undefined && { inputId: made.inputId }),
    },
    before.text,
  );
  write(`${texts.connected(kind.title, programPrincipal(kind.name))} ${kind.next}\n`);
  if (isFirst) write(`${texts.people}\n`);
  return true;
}

/**
 * Restores a client's configuration and revokes its key, after the user agreed.
 *
 * @returns whether it was disconnected
 * @throws CommandFailure if the client is not connected, or its file cannot be edited
 */
export async function disconnectClient(options: ConnectOptions): Promise<boolean> {
  const { kind, dataDir, write, confirm, machine } = options;
  const files = connectionFiles(dataDir, kind.name);
  const keys = openProgramKeys({ folder: dataDir });
  const record = files.readRecord();
  if (record === undefined) {
    if (!keys.revoke(kind.name)) throw new CommandFailure(texts.notConnected(kind.title), 1);
    files.remove();
    write(`${texts.revokedOnly(kind.title)} (${kind.file(machine)})\n`);
    return true;
  }
  const file = await readClientFile(record.path);
  const restored = restoredText(
    kind,
    { path: file.path, text: file.text, mode: file.mode ?? record.mode },
    { record, backup: files.readBackup() },
  );
  if (restored.text !== file.text) {
    write(`${texts.change(kind.title, file.path)}\n`);
    if (restored.text === undefined) write(`${texts.removed}\n`);
    write(changeDiff(file.text, restored.text, options.style));
  }
  if (!(await confirm(texts.confirmUndo))) {
    write(`${texts.notWritten}\n`);
    return false;
  }
  // Without its key the entry is useless, so the key is revoked even if the file cannot be written.
  keys.revoke(kind.name);
  if (restored.text !== file.text)
    await writeClientFile(file, { text: restored.text, mode: restored.mode });
  files.remove();
  write(`${texts.disconnected(kind.title)}\n`);
  return true;
}

interface MadeEntry {
  readonly entry: JsonObject;
  readonly type: "http" | "stdio";
  readonly inputId: string | undefined;
  /**
   * Describes the location of the key: the client's file, its secret storage or the data directory.
   */
  readonly keyIn: "file" | "asked" | "data";
}

function entryOf(kind: ClientKind, { url, command, stdio }: ConnectTarget, key: string): MadeEntry {
  if (kind.http === undefined || stdio === true)
    return { entry: kind.command(command), type: "stdio", inputId: undefined, keyIn: "data" };
  if (kind.keepsKey === "file")
    return {
      entry: kind.http({ type: "http", url, key }),
      type: "http",
      inputId: undefined,
      keyIn: "file",
    };
  // VS Code stores an input by its id, so each key has a different id.
  const inputId = `capstan-key-${hashOf(key).slice(0, 6)}`;
  const reference = `\${input:${inputId}}`;
  return {
    entry: kind.http({ type: "http", url, key: reference }),
    type: "http",
    inputId,
    keyIn: "asked",
  };
}

/** Returns the permissions of a file that other users can read, as text. */
function publicMode({ mode }: ClientFile): string {
  return mode === undefined || (mode & 0o077) === 0 ? "" : `0${mode.toString(8)}`;
}
