import { FileError } from "../../files/file-roots.ts";

/** Lines of a hunk: those that the file has, and those that it gets. */
export interface Hunk {
  /** Lines after which the hunk is searched, from `@@ line`, outer ones first. */
  readonly anchors: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
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
  const lines = text.replaceAll("\r\n", "\n").replace(/\n+$/, "").split("\n");
  const files: FilePatch[] = [];
  let at = lines[0]?.trim() === "*** Begin Patch" ? 1 : 0;
  const end = lines.at(-1)?.trim() === "*** End Patch" ? lines.length - 1 : lines.length;
  while (at < end) {
    const line = lines[at] ?? "";
    const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line.trimEnd());
    if (header === null) {
      if (line.trim() === "") {
        at++;
        continue;
      }
      throw invalid(at, line, "a line such as `*** Update File: path`");
    }
    const [, type = "", path = ""] = header;
    let next = at + 1;
    while (next < end && !/^\*\*\* (?:Add|Update|Delete) File: /.test(lines[next] ?? "")) next++;
    const body = { lines: lines.slice(at + 1, next), first: at + 1 };
    if (type === "Add") files.push({ type: "add", path, lines: addedLines(body) });
    else if (type === "Delete") files.push(deletion(path, body));
    else files.push({ type: "update", path, ...update(body) });
    at = next;
  }
  const paths = files.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
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
  const moved = /^\*\*\* Move to: (.+)$/.exec(lines[0]?.trimEnd() ?? "")?.[1];
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let before: string[] = [];
  let after: string[] = [];
  const finish = (isAtEnd: boolean): void => {
    if (before.length + after.length > 0) {
      hunks.push({ anchors, before, after, isAtEnd });
      anchors = [];
    }
    [before, after] = [[], []];
  };
  for (const [index, line] of lines.entries()) {
    if (index === 0 && moved !== undefined) continue;
    const sign = line[0];
    if (line.startsWith("@@")) {
      finish(false);
      const anchor = line.slice(2).trim();
      // `@@ -1,4 +1,5 @@` of other formats names line numbers, which are not needed.
      if (anchor !== "" && !/^-\d[\d, +-]*@@/.test(anchor)) anchors.push(anchor);
    } else if (line.trimEnd() === "*** End of File") finish(true);
    else if (sign === "-") before.push(line.slice(1));
    else if (sign === "+") after.push(line.slice(1));
    else if (sign === " " || line === "") {
      before.push(line.slice(1));
      after.push(line.slice(1));
    } else throw invalid(first + index, line, "a line that starts with ` `, `+`, `-` or `@@`");
  }
  finish(false);
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
