import type { ScriptFilesView } from "@capstan/contract";
import { scriptsTexts } from "../texts/scripts.ts";

type Files = ScriptFilesView["files"];

/** A changed file; a new file was empty before, a deleted file is empty after. */
export interface FileChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the files that differ between two versions. A file that cannot be shown is described by its size and hash. */
export function fileChanges(before: Files, after: Files): readonly FileChange[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted();
  return names.flatMap((name): readonly FileChange[] => {
    const [was, is] = [before, after].map((files) => files.find((file) => file.name === name));
    const change = { name, before: shown(was), after: shown(is) };
    return change.before === change.after ? [] : [change];
  });
}

function shown(file: Files[number] | undefined): string {
  if (file === undefined) return "";
  if (file.text === "") return scriptsTexts.diff.emptyFile;
  return file.text ?? scriptsTexts.diff.notShown(file.bytes, file.hash);
}
