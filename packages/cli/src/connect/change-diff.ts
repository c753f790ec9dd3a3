import { structuredPatch } from "diff";
import type { Style } from "../terminal/style.ts";
import { printableLine } from "../terminal/printable.ts";

/** The longest line that is shown, in characters. */
const longest = 160;

/**
 * Returns the changed lines of a file with some context. Masks all keys, including those of other
 * servers in the file.
 */
export function changeDiff(
  before: string | undefined,
  after: string | undefined,
  style: Style,
): string {
  const patch = structuredPatch("", "", before ?? "", after ?? "", "", "", { context: 2 });
  return patch.hunks
    .flatMap((hunk) => [style.dim(`@@ line ${hunk.newStart}`), ...hunk.lines])
    .filter((line) => !line.startsWith("\\"))
    .map((line) => {
      const shown = printableLine(masked(line));
      const cut = shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
      if (line.startsWith("+")) return style.green(cut);
      return line.startsWith("-") ? style.red(cut) : cut;
    })
    .map((line) => `  ${line}\n`)
    .join("");
}

/** Replaces secrets in a line of a configuration file. */
export function masked(line: string): string {
  return line
    .replaceAll(/\b(Bearer|Basic) +(?!\$)[^\s"',}]+/gi, "$1 ••••••")
    .replaceAll(/capstan-program-[\w-]+/g, "••••••")
    .replace(
      /((?:key|token|secret|password|authorization)[\w-]*["']?\s*[:=]\s*)(?!["']?(?:Bearer|Basic|\$|\{|\[))(["']?)[^\s"',}]{6,}/i,
      "$1$2••••••",
    );
}
