import type { JsonValue } from "@capstan/core";
import type { ScriptFunction, ScriptProblem } from "./script-function.ts";

/** The result of reading one file, before it is compared with other files. */
export interface ParsedFile {
  readonly rules?: string;
  readonly title?: JsonValue;
  readonly functions?: readonly ScriptFunction[];
  /** The declared permissions as they are written, for the file and by function. */
  readonly declared?: {
    readonly file: RawPermissions;
    readonly functions: { readonly [name: string]: RawPermissions };
  };
  readonly problems: readonly ScriptProblem[];
}

/** Declared permissions before they are checked. */
export interface RawPermissions {
  readonly [key: string]: JsonValue;
}

/** Returns the result for a file that could not be read. */
export function unreadableFile(message: string): ParsedFile {
  return { problems: [{ severity: "error", message }] };
}

/** The contents of files by path relative to their folder, with `/`. */
export type FileContents = ReadonlyMap<string, Uint8Array>;

/**
 * Returns the text of a source file. Windows PowerShell's own editor writes UTF-16; everything else
 * is UTF-8.
 */
export function decodeSource(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
}
