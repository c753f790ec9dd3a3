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
