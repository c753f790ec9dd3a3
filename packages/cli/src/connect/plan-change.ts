import type { JsonObject, JsonValue } from "@capstan/core";
import { applyEdits, modify } from "jsonc-parser";
import { CommandFailure } from "../arguments/command.ts";
import { connectTexts } from "../texts/connect.ts";
import type { ClientKind } from "./clients/client.ts";
import { type ConnectionRecord, hashOf } from "./connection-record.ts";
import { editEntry, entryOf, FormatProblem, isObject } from "./formats/config-format.ts";

/**
 * The text of a client's file without the entry of an earlier `connect`. `undefined` if there was
 * no file.
 */
export interface Restored {
  readonly text: string | undefined;
  /** The permissions before the earlier `connect`. */
  readonly mode: number;
}

/**
 * Returns a client's file without the changes of `connect`; later changes by the user stay.
 *
 * @throws CommandFailure if the file cannot be edited
 */
export function restoredText(
  kind: ClientKind,
  now: { readonly path: string; readonly text: string | undefined; readonly mode: number },
  given: { readonly record: ConnectionRecord; readonly backup: string | undefined } | undefined,
): Restored {
  if (given === undefined || given.record.path !== now.path || now.text === undefined)
    return { text: now.text, mode: now.mode };
  const { record, backup } = given;
  if (hashOf(now.text) === record.written && backup !== undefined)
    return { text: record.existed ? backup : undefined, mode: record.mode };
  const { format, path } = kind;
  return guarded(kind, now.path, () => {
    let text = editEntry(format, now.text ?? "", { path, value: record.replaced });
    text = withoutInput(kind, text, record.inputId);
    const [list] = path;
    const left = entryOf(format.read(text), [list]);
    if (record.createdList && isObject(left) && Object.keys(left).length === 0)
      text = editEntry(format, text, { path: [list], value: undefined });
    return { text, mode: now.mode };
  });
}

/**
 * Returns a client's file with the entry of the server.
 *
 * @throws CommandFailure if the file cannot be edited
 */
export function connectedText(
  kind: ClientKind,
  before: { readonly path: string; readonly text: string | undefined },
  { entry, inputId }: { readonly entry: JsonObject; readonly inputId: string | undefined },
): string {
  const text = before.text ?? "";
  return guarded(kind, before.path, () =>
    withInput(kind, editEntry(kind.format, text, { path: kind.path, value: entry }), inputId),
  );
}

/** Returns the entry of the server in a file. @throws CommandFailure if the file cannot be read */
export function writtenEntry(
  kind: ClientKind,
  file: { readonly path: string; readonly text: string | undefined },
): JsonValue | undefined {
  return guarded(kind, file.path, () => entryOf(kind.format.read(file.text ?? ""), kind.path));
}

/** Whether a file has the object with all servers. */
export function hasList(kind: ClientKind, text: string | undefined): boolean {
  return text !== undefined && entryOf(kind.format.read(text), [kind.path[0]]) !== undefined;
}

function withInput(kind: ClientKind, text: string, id: string | undefined): string {
  if (id === undefined || kind.input === undefined) return text;
  const inputs = inputsOf(kind, text);
  if (inputs === undefined)
    return editEntry(kind.format, text, { path: ["inputs"], value: [kind.input(id)] });
  const edits = modify(text, ["inputs", inputs.length], kind.input(id), {
    isArrayInsertion: true,
    formattingOptions: formatting,
  });
  return applyEdits(text, edits);
}

function withoutInput(kind: ClientKind, text: string, id: string | undefined): string {
  const inputs = id === undefined ? undefined : inputsOf(kind, text);
  const index = inputs?.findIndex((input) => isObject(input) && input["id"] === id) ?? -1;
  if (inputs === undefined || index < 0) return text;
  if (inputs.length === 1)
    return editEntry(kind.format, text, { path: ["inputs"], value: undefined });
  return applyEdits(
    text,
    modify(text, ["inputs", index], undefined, { formattingOptions: formatting }),
  );
}

const formatting = { insertSpaces: true, tabSize: 2 };

function inputsOf(kind: ClientKind, text: string): readonly JsonValue[] | undefined {
  const inputs = entryOf(kind.format.read(text), ["inputs"]);
  if (inputs !== undefined && !Array.isArray(inputs))
    throw new FormatProblem("inputs: a list was expected");
  return inputs;
}

function guarded<T>({ path }: ClientKind, file: string, edit: () => T): T {
  try {
    return edit();
  } catch (thrown) {
    if (!(thrown instanceof FormatProblem)) throw thrown;
    throw new CommandFailure(
      connectTexts.file.unsupported(file, thrown.message, path.join(".")),
      1,
    );
  }
}
