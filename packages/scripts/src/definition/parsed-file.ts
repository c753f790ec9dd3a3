import type { JsonValue } from "@capstan/core";
import type { ScriptFunction, ScriptProblem } from "./script-function.ts";

/** What a reader of a language makes of one file: nothing of it is checked against other files. */
export interface ParsedFile {
  readonly rules?: string;
  readonly title?: JsonValue;
  readonly functions?: readonly ScriptFunction[];
  /** Permissions as they were written, for the file and by function. */
  readonly declared?: {
    readonly file: RawPermissions;
    readonly functions: { readonly [name: string]: RawPermissions };
  };
  readonly problems: readonly ScriptProblem[];
}

export interface RawPermissions {
  readonly [key: string]: JsonValue;
}

/** A file that could not be read at all. */
export function unreadableFile(message: string): ParsedFile {
  return { problems: [{ severity: "error", message }] };
}

/** Files as they were read, by name relative to their folder, with `/`. */
export type FileContents = ReadonlyMap<string, Uint8Array>;

/** The text of a source file. Windows PowerShell's own editor writes UTF-16; all else is UTF-8. */
export function decodeSource(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
}
