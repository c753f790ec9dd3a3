import { hiddenCodePoints } from "@capstan/core/text";
import { decodeSource, type FileContents } from "./parsed-file.ts";
import type { ScriptProblem } from "./script-function.ts";

const maxLines = 10;

/**
 * Returns a warning for each line of a text that may look different from the code that runs.
 *
 * @param options.file the name of the file if it is not the one that is checked
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
    const message = `Hidden characters (${names}): the text may look different from the code that runs. Remove them, or write them as escapes.`;
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
 * Returns the warnings of all code of a script or module, without packages in its folder.
 *
 * @param entry the file itself, as `contents` names it
 */
export function hiddenInFiles(contents: FileContents, entry: string): readonly ScriptProblem[] {
  return [...contents].flatMap(([name, bytes]) => {
    if (!/\.(?:py|ps[dm]?1|[mc]?[jt]s)$/.test(name) || name.includes("node_modules/")) return [];
    return hiddenCharacters(decodeSource(bytes), name === entry ? {} : { file: name });
  });
}
