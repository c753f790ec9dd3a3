import { stat } from "node:fs/promises";
import { resolve } from "node:path";

/** `@notes.md` or `@"my notes.md"`, but not the `@` of a mail address. */
const mention = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g;

export interface FileMentions {
  /** Paths of existing files, without repeats. */
  readonly paths: readonly string[];
  /** Words that look like paths, but name no file here. They stay text. */
  readonly missing: readonly string[];
}

/**
 * Finds the files that a message names with `@`.
 *
 * @param folder the folder of relative paths. @default the current one
 * @example await findFileMentions("Summarise @report.pdf") // { paths: ["report.pdf"], missing: [] }
 */
export async function findFileMentions(
  text: string,
  folder: string = process.cwd(),
): Promise<FileMentions> {
  const paths = new Set<string>();
  const missing = new Set<string>();
  for (const path of new Set(mentionsIn(text))) {
    const withoutPunctuation = path.replace(/[.,;:!?)]+$/, "");
    const names = [path, withoutPunctuation];
    const existing = (
      await Promise.all(names.map((name) => isFile(resolve(folder, name))))
    ).indexOf(true);
    const name = names[existing];
    if (name !== undefined) paths.add(name);
    else if (/[./\\]/.test(withoutPunctuation)) missing.add(withoutPunctuation);
  }
  return { paths: [...paths], missing: [...missing] };
}

function mentionsIn(text: string): readonly string[] {
  return [...text.matchAll(mention)].map(([, quoted, word]) => quoted ?? word ?? "");
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
