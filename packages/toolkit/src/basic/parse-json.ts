import type { JsonValue } from "@capstan/core";
import { printParseErrorCode, visit } from "jsonc-parser";

export type ParsedJson =
  | { readonly status: "parsed"; readonly value: JsonValue }
  | { readonly status: "invalid"; readonly message: string };

/** Parses JSON. An error names the line, the column and the text at this position. */
export function parseJson(text: string): ParsedJson {
  try {
    return { status: "parsed", value: JSON.parse(text) as JsonValue };
  } catch {
    return { status: "invalid", message: `The text is not JSON: ${describe(text)}` };
  }
}

/** The expected token for each error name of the parser. All other errors are inside strings. */
const expectations: { readonly [error: string]: string } = {
  InvalidSymbol: "a value or a name in double quotes",
  InvalidNumberFormat: "a number",
  UnexpectedEndOfNumber: "a number",
  PropertyNameExpected: "a name in double quotes",
  ValueExpected: "a value",
  ColonExpected: 'a ":"',
  CommaExpected: 'a "," or the closing bracket',
  CloseBraceExpected: 'a "," or the closing bracket',
  CloseBracketExpected: 'a "," or the closing bracket',
  EndOfFileExpected: "nothing more",
  InvalidCommentToken: "JSON without comments",
};

function describe(text: string): string {
  if (text.trim() === "") return "it is empty.";
  const error = firstError(text);
  if (error === undefined) return "it is nested too deeply to find its first error.";
  const { position, line, column } = error;
  const expected = expectations[error.name];
  if (expected !== undefined && position >= text.trimEnd().length)
    return `it ends, but ${expected} was expected.`;
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(position) ?? 0));
  const near = text.slice(Math.max(0, position - 20), position + 20).replaceAll(/\s+/g, " ");
  const place = `at line ${line}, column ${column} (character ${position})`;
  return expected === undefined
    ? `${place} a string has no end, or an invalid character or escape, near: ${near}`
    : `${place} expected ${expected}, found ${found}, near: ${near}`;
}

interface FirstError {
  readonly name: string;
  readonly position: number;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the first error with its position, because the engine omits the position of some errors.
 * Returns `undefined` if the nesting overflows the stack before an error is found.
 */
function firstError(text: string): FirstError | undefined {
  let first: FirstError | undefined;
  const onError: Parameters<typeof visit>[1]["onError"] = (
    code,
    position,
    _length,
    line,
    column,
  ) => {
    first ??= { name: printParseErrorCode(code), position, line: line + 1, column: column + 1 };
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    // Returns the error that was found before the overflow.
  }
  return first;
}
