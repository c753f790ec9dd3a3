/** Properties of a JSON text that `JSON.parse` does not report. */
export interface JsonScan {
  /** The depth of nested brackets. */
  readonly depth: number;
  /** The number of keys in the text, including repeated ones. */
  readonly keys: number;
  /**
   * The first number that a double cannot represent: a whole number that is not exact, or one that
   * is too large.
   */
  readonly inexact: string | undefined;
}

const wholeNumber = /-?\d+(?![\d.eE])/y;

/** Reads JSON text in one pass. For broken text, the result is undefined, but there is no error. */
export function scanJson(text: string): JsonScan {
  let [depth, deepest, keys] = [0, 0, 0];
  let inexact: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === "]" || char === "}") depth -= 1;
    else if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === ":") keys += 1;
    else if (char === '"') i = endOfString(text, i);
    else if (char === "-" || (char >= "0" && char <= "9")) {
      const end = endOfNumber(text, i);
      inexact ??= inexactNumber(text.slice(i, end));
      i = end - 1;
    }
  }
  return { depth: deepest, keys, inexact };
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i;
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && /[\d.eE+-]/.test(text[i] as string)) i += 1;
  return i;
}

function inexactNumber(token: string): string | undefined {
  const number = Number(token);
  if (Math.abs(number) === Infinity) return token;
  wholeNumber.lastIndex = 0;
  if (token.length < 16 || !wholeNumber.test(token)) return undefined;
  // The number is exact if its text is JavaScript's form of the number, or equals it to the last
  // digit.
  const isExact = String(number) === token || BigInt(token) === BigInt(number);
  return isExact ? undefined : token;
}
