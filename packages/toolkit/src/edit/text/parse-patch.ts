import { FileError } from "../../files/file-error.ts";

/** The lines of a hunk before and after the change. */
export interface Hunk {
  /**
   * The lines that `@@ line` names, outer ones first. The search for the hunk begins after them.
   */
  readonly anchors: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** For each line of `after`, its index in `before` if it is unchanged. */
  readonly origins: readonly (number | undefined)[];
  /** Whether the hunk is at the end of the file. */
  readonly isAtEnd: boolean;
}

/** The part of a patch for one file. */
export type FilePatch =
  | { readonly type: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: "delete"; readonly path: string }
  | {
      readonly type: "update";
      readonly path: string;
      /** The new path, if the file is moved. */
      readonly to?: string;
      readonly hunks: readonly Hunk[];
    };

/**
 * Parses a patch in the form that models of OpenAI write: `*** Begin Patch`, then `*** Add File:`,
 * `*** Update File:` or `*** Delete File:` for each file, then `*** End Patch`. The first and the
 * last line may be missing.
 *
 * @throws FileError `invalid_patch` with the line
 */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines.length > 1 && lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  let at = lines[0]?.trim() === "*** Begin Patch" ? 1 : 0;
  const end = lines.at(-1)?.trim() === "*** End Patch" ? lines.length - 1 : lines.length;
  while (at < end) {
    const line = lines[at] ?? "";
    const header = headerOf(line);
    if (header === null) {
      if (line.trim() === "") {
        at++;
        continue;
      }
      throw invalid(at, line, "a line such as `*** Update File: path`");
    }
    const { type, path } = header;
    let next = at + 1;
    while (next < end && headerOf(lines[next] ?? "") === null) next++;
    const body = { lines: lines.slice(at + 1, next), first: at + 1 };
    if (type === "Add") files.push({ type: "add", path, lines: addedLines(body) });
    else if (type === "Delete") files.push(deletion(path, body));
    else files.push({ type: "update", path, ...update(body) });
    at = next;
  }
  if (files.length > mostFiles)
    throw new FileError("invalid_patch", `The patch names more than ${mostFiles} files.`);
  const seen = new Set<string>();
  const twice = files.find(({ path }) => seen.size === seen.add(path).size)?.path;
  if (twice !== undefined)
    throw new FileError(
      "invalid_patch",
      `The patch names "${twice}" twice. Put all of its hunks under one \`*** Update File:\`.`,
    );
  if (files.length === 0)
    throw new FileError(
      "invalid_patch",
      "The patch names no file. Begin with `*** Update File: path`.",
    );
  return files;
}

/** The maximum number of files in a patch, and of hunks for one file. */
const mostFiles = 200;
const mostHunks = 1_000;

/** Returns the paths that a patch names, without checking the rest of it. */
export function patchedPaths(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith("*** "));
  const paths = lines.flatMap((line) => headerOf(line)?.path ?? movedTo(line) ?? []);
  return [...new Set(paths)].slice(0, 2 * mostFiles);
}

function headerOf(line: string): { readonly type: string; readonly path: string } | null {
  const [, type, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line.trimEnd()) ?? [];
  return type === undefined || path === undefined ? null : { type, path: path.trimStart() };
}

function movedTo(line: string): string | undefined {
  return /^\*\*\* Move to: (.+)$/.exec(line.trimEnd())?.[1]?.trimStart();
}

interface Body {
  readonly lines: readonly string[];
  /** The number of the first line, from 0. */
  readonly first: number;
}

function addedLines({ lines, first }: Body): readonly string[] {
  return lines.map((line, index) => {
    if (line.startsWith("+")) return line.slice(1);
    throw invalid(first + index, line, "a line that starts with `+`");
  });
}

function deletion(path: string, { lines, first }: Body): FilePatch {
  const extra = lines.findIndex((line) => line.trim() !== "");
  if (extra >= 0) throw invalid(first + extra, lines[extra] ?? "", "the next file");
  return { type: "delete", path };
}

function update({ lines, first }: Body): { readonly to?: string; readonly hunks: readonly Hunk[] } {
  const moved = movedTo(lines[0] ?? "");
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let before: string[] = [];
  let after: string[] = [];
  let origins: (number | undefined)[] = [];
  const finish = (isAtEnd: boolean): void => {
    if (before.length + after.length > 0) {
      hunks.push({ anchors, before, after, origins, isAtEnd });
      anchors = [];
    }
    [before, after, origins] = [[], [], []];
  };
  for (const [index, line] of lines.entries()) {
    if (index === 0 && moved !== undefined) continue;
    const sign = line[0];
    if (line.startsWith("@@")) {
      finish(false);
      const anchor = line.slice(2).trim();
      // Headers of other formats, such as `@@ -1,4 +1,5 @@`, contain line numbers, which are
      // ignored.
      if (anchor !== "" && !/^-\d[\d, +-]*@@/.test(anchor)) anchors.push(anchor);
    } else if (line.trimEnd() === "*** End of File") finish(true);
    else if (sign === "-") before.push(line.slice(1));
    else if (sign === "+") {
      after.push(line.slice(1));
      origins.push(undefined);
    } else if (sign === " " || line === "") {
      origins.push(before.length);
      before.push(line.slice(1));
      after.push(line.slice(1));
    } else throw invalid(first + index, line, "a line that starts with ` `, `+`, `-` or `@@`");
  }
  finish(false);
  if (hunks.length > mostHunks)
    throw new FileError(
      "invalid_patch",
      `The patch has more than ${mostHunks} hunks for one file. WriteFile replaces a whole file.`,
    );
  if (hunks.length === 0 && moved === undefined)
    throw invalid(first, lines[0] ?? "", "a changed line");
  return { ...(moved !== undefined && { to: moved }), hunks };
}

function invalid(index: number, line: string, expected: string): FileError {
  return new FileError(
    "invalid_patch",
    `Line ${index + 1} of the patch: expected ${expected}, got ${JSON.stringify(line.slice(0, 80))}.`,
  );
}
