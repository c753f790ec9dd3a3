import type { JsonValue } from "@capstan/core";

export type ParsedJson =
  | { readonly status: "parsed"; readonly value: JsonValue }
  | { readonly status: "invalid"; readonly message: string };

/** Parses JSON; what is wrong is said with its line, its column and what stands there. */
export function parseJson(text: string): ParsedJson {
  try {
    return { status: "parsed", value: JSON.parse(text) as JsonValue };
  } catch {
    return { status: "invalid", message: `The text is not JSON: ${describe(text)}` };
  }
}

function describe(text: string): string {
  if (text.trim() === "") return "it is empty.";
  const error = firstErrorOf(text);
  if (error === undefined) return "it is too large for its first error to be found.";
  const { position, expected } = error;
  if (position >= text.trimEnd().length) return `it ends where ${expected} should come.`;
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const column = position - before.lastIndexOf("\n");
  const found = JSON.stringify(String.fromCodePoint(text.codePointAt(position) ?? 0));
  const near = text.slice(Math.max(0, position - 20), position + 20).replaceAll(/\s+/g, " ");
  const place = `at line ${line}, column ${column} (character ${position})`;
  const isString = text[position] === '"' && /value|name/.test(expected);
  if (isString)
    return `${place} a string begins that has no end or holds a bad character or escape, near: ${near}`;
  return `${place} ${found} stands where ${expected} should come, near: ${near}`;
}

// Control characters are what JSON's strings may not hold. Each character of a string can be read in
// one way only: with two, a string without its end would take for ever.
const token =
  // oxlint-disable-next-line no-control-regex
  /[ \t\n\r]*(?:([[\]{},:])|("[^"\\\u0000-\u001F]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001F]*)*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or close" | "end";

const inWords: { readonly [expected in Expected]: string } = {
  value: "a value",
  "value or ]": 'a value or "]"',
  key: "a name in double quotes",
  "key or }": 'a name in double quotes or "}"',
  colon: 'a ":"',
  "comma or close": 'a "," or the closing bracket',
  end: "nothing more",
};

/** Undefined where the engine gives up: a string with millions of escapes. */
function firstErrorOf(text: string): ReturnType<typeof firstError> | undefined {
  try {
    return firstError(text);
  } catch {
    return undefined;
  }
}

/** JSON's grammar, walked to the first token that does not fit. The engine tells no position. */
function firstError(text: string): { readonly position: number; readonly expected: string } {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let position = 0;
  for (;;) {
    token.lastIndex = position;
    const match = token.exec(text);
    const start =
      position + (/^[ \t\n\r]*/.exec(text.slice(position, position + 10_000))?.[0].length ?? 0);
    if (match === null) return { position: start, expected: inWords[expected] };
    const next = step(expected, match[1], match[2] !== undefined, open);
    if (next === undefined) return { position: start, expected: inWords[expected] };
    expected = next;
    position = token.lastIndex;
  }
}

function step(
  expected: Expected,
  punctuation: string | undefined,
  isString: boolean,
  open: ("{" | "[")[],
): Expected | undefined {
  const afterValue = (): Expected => (open.length === 0 ? "end" : "comma or close");
  const close = (): Expected => {
    open.pop();
    return afterValue();
  };
  const isKeyPlace = expected === "key" || expected === "key or }";
  switch (punctuation) {
    case undefined:
      if (isKeyPlace) return isString ? "colon" : undefined;
      return expected === "value" || expected === "value or ]" ? afterValue() : undefined;
    case "{":
    case "[":
      if (expected !== "value" && expected !== "value or ]") return undefined;
      open.push(punctuation);
      return punctuation === "{" ? "key or }" : "value or ]";
    case "}":
      if (expected === "key or }") return close();
      return expected === "comma or close" && open.at(-1) === "{" ? close() : undefined;
    case "]":
      if (expected === "value or ]") return close();
      return expected === "comma or close" && open.at(-1) === "[" ? close() : undefined;
    case ",":
      if (expected !== "comma or close") return undefined;
      return open.at(-1) === "{" ? "key" : "value";
    default:
      return expected === "colon" ? "value" : undefined;
  }
}
