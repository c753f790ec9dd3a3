import type { JsonValue } from "@capstan/core";
import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";
import { type ConfigFormat, type EntryPath, FormatProblem, lineBreakOf } from "./config-format.ts";

/** YAML, in which an entry is a member of a block at the root, such as `extensions`. */
export const yamlFormat: ConfigFormat = { read, set, remove };

function documentOf(text: string) {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  const line = error.linePos?.[0].line ?? 1;
  throw new FormatProblem(`line ${line}: ${error.message.split("\n")[0] ?? ""}`);
}

function read(text: string): JsonValue {
  return (documentOf(text).toJS({ maxAliasCount: 100 }) ?? {}) as JsonValue;
}

function set(text: string, [parent, name]: EntryPath, value: JsonValue): string {
  if (name === undefined) throw new FormatProblem("an entry of an object was expected");
  const eol = lineBreakOf(text);
  const block = (indent: string, content: JsonValue) =>
    stringify(content, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
      .map((line) => `${indent}${line}${eol}`)
      .join("");
  const root = documentOf(text).contents;
  if (root !== null && !isMap(root)) throw new FormatProblem("a mapping was expected");
  const list = root === null ? undefined : pairOf(root, parent);
  const complete = text === "" || text.endsWith("\n") ? text : text + eol;
  if (list === undefined) return complete + block("", { [parent]: { [name]: value } });
  const map = list.value;
  if (isMap(map) && map.flow !== true && map.items.length > 0) {
    const indent = " ".repeat(columnOf(complete, startOf(map.items[0])));
    const old = pairOf(map, name);
    const entry = block(indent, { [name]: value });
    if (old !== undefined) {
      const { start, end } = linesOf(complete, old);
      return complete.slice(0, start) + entry + complete.slice(end);
    }
    const { end } = linesOf(complete, map.items.at(-1));
    return complete.slice(0, end) + entry + complete.slice(end);
  }
  const isEmpty = (isMap(map) && map.items.length === 0) || (isScalar(map) && map.value === null);
  if (!isEmpty) throw new FormatProblem(`${parent} is written in an unusual form`);
  const { start, end } = linesOf(complete, list);
  return (
    complete.slice(0, start) + block("", { [parent]: { [name]: value } }) + complete.slice(end)
  );
}

function remove(text: string, [parent, name]: EntryPath): string {
  const root = documentOf(text).contents;
  const list = isMap(root) ? pairOf(root, parent) : undefined;
  if (list === undefined) return text;
  if (name === undefined) return cut(text, list);
  const map = list.value;
  const pair = isMap(map) && map.flow !== true ? pairOf(map, name) : undefined;
  if (pair === undefined) return text;
  if (isMap(map) && map.items.length === 1) {
    // YAML reads a block without members as null.
    const { start, end } = linesOf(text, list);
    return `${text.slice(0, start)}${parent}: {}${lineBreakOf(text)}${text.slice(end)}`;
  }
  return cut(text, pair);
}

function cut(text: string, pair: Pair): string {
  const { start, end } = linesOf(text, pair);
  return text.slice(0, start) + text.slice(end);
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** The range of a parsed node: its start, the end of its value, and the end with comments. */
interface Ranged {
  readonly range?: readonly [number, number, number] | null;
}

function startOf(pair: Pair | undefined): number {
  return (pair?.key as Ranged | undefined)?.range?.[0] ?? 0;
}

/** Returns the range of the lines of a pair. */
function linesOf(text: string, pair: Pair | undefined) {
  const start = startOf(pair);
  const range = (pair?.value as Ranged | undefined)?.range;
  const valueEnd = range?.[1] ?? start;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (text[valueEnd - 1] === "\n") return { start: lineStart, end: valueEnd };
  const next = text.indexOf("\n", valueEnd);
  return { start: lineStart, end: next === -1 ? text.length : next + 1 };
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}
