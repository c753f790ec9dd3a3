import type { ScriptFilesView } from "@capstan/contract";

type Files = ScriptFilesView["files"];

/** A file that is not what it was; one that is new was empty, one that is gone is. */
export interface FileChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Which files changed from one version to another. What cannot be shown is told by its size and hash. */
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
  if (file.text === "") return "(an empty file)";
  return file.text ?? `(${file.bytes} bytes that are not shown, ${file.hash})`;
}
