import { createHash } from "node:crypto";
import type { JsonValue } from "@capstan/core";
import { countOf } from "../text/format-bytes.ts";
import { TextProblem } from "./text-problem.ts";

// The process of long texts imports this file, so it must not import other packages of Capstan.

/** The maximum length of a result, in characters. */
export const longestResult = 16 * 1024 * 1024;

/** Counts graphemes, words, lines and other units of a text. */
export function countText(text: string): JsonValue {
  return {
    characters: graphemeCount(text),
    words: [...text.matchAll(/[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*/gu)].length,
    lines: text === "" ? 0 : splitLines(text).length,
    utf8Bytes: Buffer.byteLength(text),
    /** The unit of `start` and `length`. */
    utf16Units: text.length,
  };
}

function graphemeCount(text: string): number {
  // Plain ASCII needs no segmenter, which is slow.
  if (/^[\n\u0020-\u007e]*$/.test(text)) return text.length;
  let count = 0;
  for (const _segment of new Intl.Segmenter().segment(text)) count++;
  return count;
}

/**
 * Returns the lines without their line ends. A line end at the end of the text adds no empty line.
 */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

export function titleCase(text: string): string {
  return text.replaceAll(
    /(\p{L})([\p{L}\p{M}'’]*)/gu,
    (_word, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase(),
  );
}

/** Replaces literally, every occurrence. */
export function replaceText(text: string, search: string, replacement: string): JsonValue {
  if (search === "")
    throw new TextProblem("missing_argument", '"search" is empty: pass the text to replace.');
  const pieces = text.split(search);
  const length = text.length + (pieces.length - 1) * (replacement.length - search.length);
  if (length > longestResult) throw tooLong(length);
  return pieces.join(replacement);
}

export function sortLines(text: string, numeric: boolean, descending: boolean): string {
  const collator = new Intl.Collator("en", { numeric });
  const sorted = splitLines(text).sort((a, b) => collator.compare(a, b));
  return (descending ? sorted.toReversed() : sorted).join("\n");
}

export function decodeBase64(text: string): JsonValue {
  const compact = text.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact) || compact.replace(/=+$/, "").length % 4 === 1) {
    throw new TextProblem(
      "invalid_base64",
      "The text is not Base64: it has invalid characters or an invalid length.",
    );
  }
  return decodeUtf8(Buffer.from(compact, "base64"), "The Base64");
}

export function decodeUrl(text: string): JsonValue {
  try {
    return decodeURIComponent(text);
  } catch {
    const at = text.search(/%(?![0-9a-fA-F]{2})/);
    throw new TextProblem(
      "invalid_encoding",
      at < 0
        ? "The text is not URL-encoded: its bytes are not UTF-8."
        : `The text is not URL-encoded: at character ${at} a % is not followed by two hex digits.`,
    );
  }
}

export function hashText(text: string, algorithm: string): JsonValue {
  return createHash(algorithm).update(text).digest("hex");
}

export function tooLong(length: number): TextProblem {
  return new TextProblem(
    "result_too_long",
    `The result would have more than ${length.toLocaleString("en-US")} characters; ${longestResult.toLocaleString("en-US")} are allowed.`,
  );
}

function decodeUtf8(bytes: Uint8Array, what: string): JsonValue {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TextProblem(
      "binary_content",
      `${what} holds ${countOf(bytes.length, "byte")} that are not UTF-8 text.`,
    );
  }
}
