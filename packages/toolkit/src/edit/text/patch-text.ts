import { FileError } from "../../files/file-error.ts";
import { lineEnd } from "./apply-edits.ts";
import { indented, nearestLines, numberedLines, sameIndent, TextLines } from "./find-text.ts";
import type { Hunk } from "./parse-patch.ts";

/**
 * Applies the hunks of a patch to a text, one after another. Each hunk changes the first matching
 * range after the previous hunk. `TextLines` compares the lines.
 *
 * @param path for errors
 * @throws FileError `no_match`
 */
export function patchText(text: string, hunks: readonly Hunk[], path: string): string {
  const eol = lineEnd(text);
  const lines = text.split("\n");
  const hasFinalEnd = lines.at(-1) === "";
  if (hasFinalEnd) lines.pop();
  const source = new TextLines(lines.map((line) => line.replace(/\r$/, "")));
  // Each line keeps its own line end, so that only lines in the patch change.
  const whole = (index: number): string =>
    `${lines[index]}${hasFinalEnd || index < lines.length - 1 ? "\n" : eol}`;
  const patched: string[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(source, hunk, at);
    if (place === undefined)
      throw noMatch(source.lines, hunk, { path, number: index + 1, from: at });
    while (at < place.start) patched.push(whole(at++));
    for (const [line, content] of hunk.after.entries()) {
      const origin = hunk.origins[line];
      patched.push(
        origin === undefined ? indented(content, place.indent) + eol : whole(place.start + origin),
      );
    }
    at = place.end;
  }
  while (at < lines.length) patched.push(whole(at++));
  const joined = patched.join("");
  return hasFinalEnd || !joined.endsWith(eol) ? joined : joined.slice(0, -eol.length);
}

function placeOf(source: TextLines, { anchors, before, isAtEnd }: Hunk, from: number) {
  const { length } = source.lines;
  let start = from;
  for (const anchor of anchors) {
    const found = source.lineLike(anchor, start);
    if (found < 0) return undefined;
    start = found + 1;
  }
  if (before.length === 0) {
    const end = anchors.length > 0 && !isAtEnd ? start : length;
    return { start: end, end, indent: sameIndent };
  }
  const first = isAtEnd ? Math.max(start, length - before.length) : start;
  return source.find(before, first, 1)[0];
}

function noMatch(
  lines: readonly string[],
  { before, anchors }: Hunk,
  { path, number, from }: { readonly path: string; readonly number: number; readonly from: number },
): FileError {
  const wanted = [...anchors, ...before];
  const near = nearestLines(lines, wanted);
  const first = `Hunk ${number} for "${path}" does not match the file${from > 0 ? ` after line ${from}` : ""}: ${JSON.stringify((wanted[0] ?? "").slice(0, 200))}.`;
  if (near === undefined)
    return new FileError("no_match", `${first} No line of it occurs. View the file.`);
  return new FileError(
    "no_match",
    `${first} The most similar lines begin at line ${near.start + 1}:\n${numberedLines(lines, near)}`,
  );
}
