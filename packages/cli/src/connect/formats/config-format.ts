import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@capstan/core";

/** The path of a member in a configuration file: the names of its parents, then its own. */
export type EntryPath = readonly [string, ...string[]];

/**
 * Reads and edits the text of a configuration file. Edits keep comments and formatting of all other
 * parts.
 */
export interface ConfigFormat {
  /** Returns the content of a file; an empty text is an empty object. @throws FormatProblem */
  readonly read: (text: string) => JsonValue;
  /** Adds or replaces an entry. */
  readonly set: (text: string, path: EntryPath, value: JsonValue) => string;
  /** Removes an entry that exists. */
  readonly remove: (text: string, path: EntryPath) => string;
}

/** Thrown if a file cannot be read or edited. The message says where and why. */
export class FormatProblem extends Error {}

/** Returns the value of an entry, or `undefined` if there is none. */
export function entryOf(content: JsonValue, path: EntryPath): JsonValue | undefined {
  let value: JsonValue | undefined = content;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * Returns the text with an entry set, or removed if the value is `undefined`. Parses the
 * result to check that only the entry changed.
 *
 * @throws FormatProblem if the file is written in a form that this edit does not support
 */
export function editEntry(
  format: ConfigFormat,
  text: string,
  { path, value }: { readonly path: EntryPath; readonly value: JsonValue | undefined },
): string {
  const before = format.read(text);
  if (value === undefined && entryOf(before, path) === undefined) return text;
  const expected = withEntry(before, path, value);
  const edited = value === undefined ? format.remove(text, path) : format.set(text, path, value);
  let after: JsonValue | undefined;
  try {
    after = format.read(edited);
  } catch (thrown) {
    if (!(thrown instanceof FormatProblem)) throw thrown;
  }
  // Formats with tables cannot represent an object without members.
  const [list] = path;
  const isSame =
    isDeepStrictEqual(after, expected) ||
    (value === undefined && isDeepStrictEqual({ [list]: {}, ...(after as object) }, expected));
  if (after === undefined || !isSame)
    throw new FormatProblem(`${path.join(".")} is written in an unusual form`);
  return edited;
}

function withEntry(
  content: JsonValue,
  [name, ...rest]: EntryPath,
  value: JsonValue | undefined,
): JsonValue {
  if (!isObject(content)) throw new FormatProblem("an object was expected");
  const { [name]: old, ...others } = content;
  const [next, ...deeper] = rest;
  if (next !== undefined)
    return { ...content, [name]: withEntry(old ?? {}, [next, ...deeper], value) };
  return value === undefined ? others : { ...content, [name]: value };
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the line break of a text. */
export function lineBreakOf(text: string): "\n" | "\r\n" {
  return /\r\n/.test(text) ? "\r\n" : "\n";
}
