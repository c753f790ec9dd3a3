import type { JsonValue } from "@capstan/core";
import {
  createScanner,
  type Node,
  parse,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type ConfigFormat, type EntryPath, FormatProblem, lineBreakOf } from "./config-format.ts";

/** JSON, with comments and trailing commas if the file has them. */
export const jsoncFormat: ConfigFormat = { read, set, remove };

const lenient = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false };

function read(text: string): JsonValue {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const value = parse(text, errors, lenient) as JsonValue;
  const [error] = errors;
  if (error === undefined) return value;
  const line = text.slice(0, error.offset).split("\n").length;
  throw new FormatProblem(`line ${line}: ${printParseErrorCode(error.error)}`);
}

function set(text: string, path: EntryPath, value: JsonValue): string {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  const { object, names } = deepestObject(text, path);
  const [name = "", ...rest] = names;
  const [first, ...deeper] = rest;
  const indent = indentOf(text, object);
  const shown = first === undefined ? value : nested([first, ...deeper], value);
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const isOneLine = last !== undefined && !text.slice(object.offset, close).includes("\n");
  const valueText = isOneLine ? JSON.stringify(shown) : indented(text, shown, indent);
  const existing = propertyOf(object, name);
  if (existing !== undefined) {
    const old = existing.children?.[1];
    if (old === undefined) throw new FormatProblem(`${name} has no value`);
    return splice(text, { start: old.offset, end: old.offset + old.length, by: valueText });
  }
  const entry = `${JSON.stringify(name)}: ${valueText}`;
  const eol = lineBreakOf(text);
  const { end, hasComma } = endOfContent(text, last, object);
  if (isOneLine) {
    const at = last.offset + last.length;
    return splice(text, { start: at, end: at, by: `, ${entry}` });
  }
  const closing = `${eol}${indent.outer}`;
  const inserted = splice(text, {
    start: end,
    end: close,
    by: `${eol}${indent.inner}${entry}${hasComma ? "," : ""}${closing}`,
  });
  if (last === undefined || hasComma) return inserted;
  const at = last.offset + last.length;
  return splice(inserted, { start: at, end: at, by: "," });
}

function remove(text: string, path: EntryPath): string {
  const parent = deepestObject(text, path);
  const property = propertyOf(parent.object, parent.names[0] ?? "");
  const siblings = parent.object.children ?? [];
  if (property === undefined || parent.names.length !== 1) return text;
  const index = siblings.indexOf(property);
  const next = siblings[index + 1];
  const after = commaAfter(text, property.offset + property.length, parent.object);
  let { start, end } = { start: property.offset, end: property.offset + property.length };
  if (after !== undefined) end = after + 1;
  const before = siblings[index - 1];
  const comma =
    next === undefined && after === undefined && before !== undefined
      ? commaAfter(text, before.offset + before.length, parent.object)
      : undefined;
  // Returns the whole lines of the property if they contain nothing else.
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const restOfLine = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end));
  if (text.slice(lineStart, start).trim() === "" && restOfLine !== null) {
    start = lineStart;
    end += restOfLine[0].length;
  } else if (next !== undefined && !text.slice(end, next.offset).includes("\n")) end = next.offset;
  const [open, close] = [parent.object.offset + 1, parent.object.offset + parent.object.length - 1];
  if ((text.slice(open, start) + text.slice(end, close)).trim() === "")
    [start, end] = [open, close];
  const removed = splice(text, { start, end, by: "" });
  return comma === undefined ? removed : splice(removed, { start: comma, end: comma + 1, by: "" });
}

/** Returns the deepest existing object of a path, and the remaining names. */
function deepestObject(
  text: string,
  path: EntryPath,
): { readonly object: Node; readonly names: readonly string[] } {
  const root = parseTree(text, [], lenient);
  if (root?.type !== "object") throw new FormatProblem("an object was expected");
  let object: Node = root;
  let names: readonly string[] = path;
  for (;;) {
    const [name = "", ...rest] = names;
    const value: Node | undefined = propertyOf(object, name)?.children?.[1];
    if (rest.length === 0 || value === undefined) return { object, names };
    if (value.type !== "object") throw new FormatProblem(`${name}: an object was expected`);
    object = value;
    names = rest;
  }
}

function propertyOf(object: Node, name: string): Node | undefined {
  // If a name occurs twice, the last one counts.
  return object.children?.findLast(({ children }) => children?.[0]?.value === name);
}

/** Returns the indentation of an object's members and of its closing brace. */
function indentOf(text: string, object: Node) {
  const lineOf = (offset: number) => {
    const start = text.lastIndexOf("\n", offset - 1) + 1;
    return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
  };
  const outer = lineOf(object.offset);
  const [first] = object.children ?? [];
  const [any] = parseTree(text, [], lenient)?.children ?? [];
  const unit = any === undefined ? "  " : lineOf(any.offset) || "  ";
  const isOwnLine = first !== undefined && lineOf(first.offset).length > outer.length;
  return { outer, inner: isOwnLine ? lineOf(first.offset) : outer + unit, unit };
}

function indented(
  text: string,
  value: JsonValue,
  { inner, unit }: { readonly inner: string; readonly unit: string },
): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${lineBreakOf(text)}${inner}`);
}

/** Returns the end of an object's last content, comments included, and whether a comma ends its members. */
function endOfContent(text: string, last: Node | undefined, object: Node) {
  const close = object.offset + object.length - 1;
  const from = last === undefined ? object.offset + 1 : last.offset + last.length;
  const content = text.slice(from, close);
  return {
    end: from + content.trimEnd().length,
    hasComma: last !== undefined && commaAfter(text, from, object) !== undefined,
  };
}

/**
 * Returns the offset of the comma that follows an offset, if only spaces and comments precede it.
 */
function commaAfter(text: string, from: number, object: Node): number | undefined {
  const scanner = createScanner(text.slice(from, object.offset + object.length - 1), true);
  scanner.scan();
  return text[from + scanner.getTokenOffset()] === ","
    ? from + scanner.getTokenOffset()
    : undefined;
}

function nested([name, ...rest]: readonly string[], value: JsonValue): JsonValue {
  return name === undefined ? value : { [name]: nested(rest, value) };
}

function splice(
  text: string,
  { start, end, by }: { readonly start: number; readonly end: number; readonly by: string },
): string {
  return text.slice(0, start) + by + text.slice(end);
}
