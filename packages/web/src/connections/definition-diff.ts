import type { ConnectionToolView } from "@capstan/contract";

/** The longest definitions that are compared line by line. */
const mostLines = 1_000;

/** Returns a tool as lines, for comparisons. */
export function definitionText({ description, ...rest }: ConnectionToolView): string {
  return `${description}\n${JSON.stringify(rest, null, 2)}`;
}

/**
 * Returns the lines of two texts, each with a sign: `+` added, `-` removed, a space if equal.
 *
 * @example lineDiff("a\nb", "a\nc") // " a\n-b\n+c"
 */
export function lineDiff(from: string, to: string): string {
  const [before, after] = [from.split("\n"), to.split("\n")];
  if (before.length > mostLines || after.length > mostLines)
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join("\n");
  // The length of the longest common subsequence of the rest of both texts.
  const common = before.map(() => new Uint16Array(after.length + 1));
  common.push(new Uint16Array(after.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row !== undefined)
        row[j] =
          before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(` ${before[i]}`);
      [i, j] = [i + 1, j + 1];
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(`-${before[i++]}`);
    else lines.push(`+${after[j++]}`);
  }
  return lines.join("\n");
}
