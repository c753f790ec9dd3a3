import type { JsonValue } from "@capstan/core";
import { parse, TomlError } from "../../libraries/toml.ts";
import {
  type ConfigFormat,
  type EntryPath,
  FormatProblem,
  isObject,
  lineBreakOf,
} from "./config-format.ts";

/** TOML. An entry is a table with a header of its own, such as `[mcp_servers.capstan]`. */
export const tomlFormat: ConfigFormat = { read, set, remove };

function read(text: string): JsonValue {
  try {
    return plain(parse(text));
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    throw new FormatProblem(`line ${thrown.line}: ${thrown.message.split("\n")[0] ?? ""}`);
  }
}

function set(text: string, path: EntryPath, value: JsonValue): string {
  const eol = lineBreakOf(text);
  const table = tableText(path, value).replaceAll("\n", eol);
  const found = tableOf(text, path);
  if (found !== undefined) return text.slice(0, found.start) + table + text.slice(found.end);
  if (text.trim() === "") return table;
  const gap = text.endsWith("\n") ? eol : eol + eol;
  return text + gap + table;
}

function remove(text: string, path: EntryPath): string {
  const found = tableOf(text, path);
  if (found === undefined) return text;
  // Also removes the empty line before the table.
  const before = text.slice(0, found.start).replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1");
  const after = text.slice(found.end);
  const separator = before !== "" && after.trim() !== "" && !/^\s*\n/.test(after);
  return before + (separator ? lineBreakOf(text) : "") + after;
}

/** Returns the range of a table and its subtables, without the comments of the next table. */
function tableOf(
  text: string,
  path: EntryPath,
): { readonly start: number; readonly end: number } | undefined {
  const name = path
    .map((part) => `(?:${RegExp.escape(part)}|"${RegExp.escape(part)}"|'${RegExp.escape(part)}')`)
    .join("\\s*\\.\\s*");
  const own = new RegExp(`^\\s*\\[\\s*${name}\\s*(?:\\.[^\\]]*)?\\]`);
  let range: { readonly start: number; end: number } | undefined;
  let isInside = false;
  let offset = 0;
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) isInside = own.test(line);
    if (isInside) {
      range ??= { start: offset, end: offset };
      if (!/^\s*(?:#.*)?$/.test(line.trimEnd())) range.end = offset + line.length;
    }
    offset += line.length;
  }
  return range;
}

function tableText(path: EntryPath, value: JsonValue): string {
  if (!isObject(value)) throw new FormatProblem("an object was expected");
  const lines = Object.entries(value).map(
    ([name, member]) => `${keyText(name)} = ${inline(member)}\n`,
  );
  return `[${path.map(keyText).join(".")}]\n${lines.join("")}`;
}

function inline(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${keyText(name)} = ${inline(member)}`,
    );
    return `{ ${members.join(", ")} }`;
  }
  // TOML's basic strings have the escapes of JSON.
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}

function keyText(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name);
}

/** Replaces dates with texts, so that all values are JSON. */
function plain(value: unknown): JsonValue {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => [name, plain(member)] as const);
    return Object.fromEntries(members);
  }
  return typeof value === "bigint" ? Number(value) : (value as JsonValue);
}
