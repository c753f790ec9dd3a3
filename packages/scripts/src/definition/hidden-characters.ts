import { hiddenCodePoints } from "@capstan/core/text";
import { decodeSource, type FileContents } from "./parsed-file.ts";
import type { ScriptProblem } from "./script-function.ts";

const maxLines = 10;

/**
 * Warnings of the lines of a text that may read otherwise than they run.
 *
 * @param options.file named where the lines are another file's than the one that is checked
 * @example hiddenCharacters("a = 1\nb = '\u202E'") // line 2: … U+202E …
 */
export function hiddenCharacters(
  text: string,
  { file }: { readonly file?: string } = {},
): readonly ScriptProblem[] {
  const found = text.split(/(?<=\n|\r(?!\n))/).flatMap((line, index) => {
    const names = hiddenCodePoints(line);
    return names.length === 0 ? [] : [{ line: index + 1, names: names.slice(0, 5).join(", ") }];
  });
  const problems = found.slice(0, maxLines).map(({ line, names }): ScriptProblem => {
    const message = `Hidden characters (${names}): it may read otherwise than it runs. Remove them, or write them as escapes.`;
    return file === undefined
      ? { severity: "warning", line, message }
      : { severity: "warning", message: `${file}, line ${line}: ${message}` };
  });
  const more = found.length - problems.length;
  if (more === 0) return problems;
  const where = file === undefined ? "" : `${file}: `;
  const message = `${where}Hidden characters in ${more} more ${more === 1 ? "line" : "lines"}.`;
  return [...problems, { severity: "warning", message }];
}

/**
 * The same of all code that a script or module is made of, but for packages in its folder.
 *
 * @param entry the file itself, as `contents` names it
 */
export function hiddenInFiles(contents: FileContents, entry: string): readonly ScriptProblem[] {
  return [...contents].flatMap(([name, bytes]) => {
    if (!/\.(?:py|ps[dm]?1|[mc]?[jt]s)$/.test(name) || name.includes("node_modules/")) return [];
    return hiddenCharacters(decodeSource(bytes), name === entry ? {} : { file: name });
  });
}
