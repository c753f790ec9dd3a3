import { maxPatternSize, type PatternEngine, patternSize } from "@capstan/core/host";
import { loadRe2 } from "./linear-regex.ts";

const longestPattern = 2_000;
/** The characters of `\s` in JavaScript, for use within brackets. RE2's `\s` covers only ASCII. */
const space =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const token = /\\(?:u\{[0-9a-fA-F]+\}|[^])|[^]/gu;

/**
 * Enforces the `pattern`s of JSON Schemas in time linear in the text, with JavaScript's meaning.
 * RE2 does not support look-around and back references.
 *
 * @example linearPatterns("^(a+)+$")?.("aaab") // false, at once
 */
export const linearPatterns: PatternEngine = (source) => {
  const { RE2JS, RE2JSException } = loadRe2();
  // Larger patterns would block the event loop while they are compiled.
  const isLarge = source.length > longestPattern || patternSize(source) > maxPatternSize;
  const pattern = isLarge ? undefined : asRe2(source);
  if (pattern === undefined) return undefined;
  try {
    const regex = RE2JS.compile(pattern);
    return (text) => regex.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
};

/** Rewrites syntax with another meaning in RE2: `.`, `\s`, code points, and names of groups. */
function asRe2(source: string): string | undefined {
  let isInClass = false;
  let pattern = "";
  for (const [part] of source.matchAll(token)) {
    if (part === "[" && !isInClass) isInClass = true;
    else if (part === "]" && isInClass) isInClass = false;
    else if (part === "." && !isInClass) {
      pattern += "[^\\n\\r\\x{2028}\\x{2029}]";
      continue;
    } else if (part === "\\s" || part === "\\S") {
      if (isInClass && part === "\\S") return undefined;
      pattern += isInClass ? space : part === "\\s" ? `[${space}]` : `[^${space}]`;
      continue;
    }
    pattern += part;
  }
  return loadRe2().RE2JS.translateRegExp(pattern);
}
