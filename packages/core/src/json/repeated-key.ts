/** A key that an object has twice. */
export interface RepeatedKey {
  readonly key: string;
  /** The keys and indexes that lead to the object. */
  readonly path: readonly (string | number)[];
}

/**
 * Finds the first key in valid JSON text that an object has twice. `JSON.parse` silently uses the
 * last value, but other parsers use the first.
 *
 * @example findRepeatedKey('{"files": [{"to": "a", "to": "b"}]}') // { key: "to", path: ["files", 0] }
 */
export function findRepeatedKey(text: string): RepeatedKey | undefined {
  const parents: Parent[] = [];
  let from = 0;
  let found: RepeatedKey | undefined;
  readStrings(text, (start, end, isKey) => {
    skip(text.slice(from, start), parents);
    from = end;
    const parent = parents.at(-1);
    if (!isKey || parent?.keys === undefined || found !== undefined) return;
    const key = JSON.parse(text.slice(start, end)) as string;
    if (parent.keys.has(key)) found = { key, path: parents.slice(0, -1).map(({ at }) => at) };
    parent.keys.add(key);
    parent.at = key;
  });
  return found;
}

/**
 * Calls `onString` for each string of valid JSON text. Searches for the next quote, so long strings
 * take little time.
 */
function readStrings(
  text: string,
  onString: (start: number, end: number, isKey: boolean) => void,
): void {
  for (let start = text.indexOf('"'); start !== -1;) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let after = end + 1;
    while (text.charCodeAt(after) <= 0x20) after += 1;
    onString(start, end + 1, text[after] === ":");
    start = text.indexOf('"', after);
  }
}

/** Whether an odd number of backslashes precedes the quote. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote;
  while (text[before - 1] === "\\") before -= 1;
  return (quote - before) % 2 === 1;
}

/** A list or an object that contains the current position. */
interface Parent {
  /** Its keys so far; undefined of a list. */
  readonly keys: Set<string> | undefined;
  /** The key or the index of the current member. */
  at: string | number;
}

/** Follows the brackets and commas between two strings. */
function skip(text: string, parents: Parent[]): void {
  for (const char of text) {
    const parent = parents.at(-1);
    if (char === "{") parents.push({ keys: new Set(), at: "" });
    else if (char === "[") parents.push({ keys: undefined, at: 0 });
    else if (char === "}" || char === "]") parents.pop();
    else if (char === "," && typeof parent?.at === "number") parent.at += 1;
  }
}
