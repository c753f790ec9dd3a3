import type { JsonValue } from "@capstan/core";
import {
  countText,
  decodeBase64,
  decodeUrl,
  hashText,
  replaceText,
  sortLines,
  splitLines,
  titleCase,
} from "./text-operations.ts";
import { TextProblem } from "./text-problem.ts";

// The process of long texts imports this file, so it must not import other packages of Capstan.

/** An operation on one text, with the arguments of the tool `Text`. */
export interface TextJob {
  readonly operation:
    | "count"
    | "upper"
    | "lower"
    | "title"
    | "trim"
    | "split"
    | "replace"
    | "lines"
    | "slice"
    | "sort"
    | "unique"
    | "base64_encode"
    | "base64_decode"
    | "url_encode"
    | "url_decode"
    | "hash";
  readonly text: string;
  readonly separator?: string | undefined;
  readonly search?: string | undefined;
  readonly replacement?: string | undefined;
  readonly start?: number | undefined;
  readonly count?: number | undefined;
  readonly numeric: boolean;
  readonly descending: boolean;
  readonly algorithm: string;
}

/** The maximum number of pieces of a split text. */
const mostPieces = 200_000;

/**
 * Runs an operation that can take long for a long text.
 *
 * @throws TextProblem
 */
export function runTextOperation(args: TextJob): JsonValue {
  const { text } = args;
  switch (args.operation) {
    case "count":
      return countText(text);
    case "upper":
      return text.toUpperCase();
    case "lower":
      return text.toLowerCase();
    case "title":
      return titleCase(text);
    case "trim":
      return text.trim();
    case "split":
      return split(args);
    case "replace":
      return replaceText(text, args.search ?? "", args.replacement ?? "");
    case "lines":
      return lines(args);
    case "slice":
      return slice(args);
    case "sort":
      return sortLines(text, args.numeric, args.descending);
    case "unique":
      return [...new Set(splitLines(text))].join("\n");
    case "base64_encode":
      return Buffer.from(text).toString("base64");
    case "base64_decode":
      return decodeBase64(text);
    case "url_encode":
      return encodeURIComponent(text.toWellFormed());
    case "url_decode":
      return decodeUrl(text);
    case "hash":
      return hashText(text, args.algorithm);
  }
}

function lines({ text, start = 1, count }: TextJob): string {
  if (start < 1) throw new TextProblem("invalid_range", `Lines count from 1; start is ${start}.`);
  const all = splitLines(text);
  if (start > all.length) {
    throw new TextProblem("invalid_range", `The text has ${all.length} lines; start is ${start}.`);
  }
  return all.slice(start - 1, count === undefined ? undefined : start - 1 + count).join("\n");
}

function slice({ text, start = 0, count }: TextJob): string {
  const from = start < 0 ? Math.max(0, text.length + start) : start;
  return text.slice(from, count === undefined ? undefined : from + count);
}

function split({ text, separator }: TextJob): readonly string[] {
  const pieces = separator === undefined ? splitLines(text) : text.split(separator, mostPieces + 1);
  if (pieces.length <= mostPieces) return pieces;
  throw new TextProblem(
    "result_too_long",
    `The text has more than ${mostPieces.toLocaleString("en-US")} pieces. Split a part of it: "slice" and "lines" select one.`,
  );
}
