import { FileError } from "../../files/file-roots.ts";
import { lineEnd } from "./apply-edits.ts";
import { findLines, indented, nearestLines } from "./find-text.ts";
import type { Hunk } from "./parse-patch.ts";

/**
 * Applies the hunks of a patch to a text, one after another. A hunk is the first place after the
 * hunk before it that matches, as `findLines` compares.
 *
 * @param path for errors
 * @throws FileError `no_match`
 */
export function patchText(text: string, hunks: readonly Hunk[], path: string): string {
  const eol = lineEnd(text);
  const lines = text.split(/\r?\n/);
  const endsInLine = lines.at(-1) !== "";
  if (!endsInLine) lines.pop();
  const patched: string[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, at);
    if (place === undefined) throw noMatch(lines, hunk, { path, number: index + 1, from: at });
    patched.push(...lines.slice(at, place.start));
    patched.push(...hunk.after.map((line) => indented(line, place.indent)));
    at = place.end;
  }
  patched.push(...lines.slice(at));
  return patched.join(eol) + (patched.length === 0 || endsInLine ? "" : eol);
}

function placeOf(lines: readonly string[], { anchors, before, isAtEnd }: Hunk, from: number) {
  let start = from;
  for (const anchor of anchors) {
    const found = lines.findIndex((line, index) => index >= start && line.trim() === anchor);
    if (found < 0) return undefined;
    start = found + 1;
  }
  const none = { add: "", remove: "" };
  if (before.length === 0) {
    const end = anchors.length > 0 && !isAtEnd ? start : lines.length;
    return { start: end, end, indent: none };
  }
  const found = findLines(lines, before, start);
  return isAtEnd ? found.find(({ end }) => end === lines.length) : found[0];
}

function noMatch(
  lines: readonly string[],
  { before, anchors }: Hunk,
  { path, number, from }: { readonly path: string; readonly number: number; readonly from: number },
): FileError {
  const wanted = [...anchors, ...before];
  const near = nearestLines(lines, wanted);
  const first = `Hunk ${number} for "${path}" does not match the file${from > 0 ? ` after line ${from}` : ""}: ${JSON.stringify(wanted[0] ?? "")}.`;
  if (near === undefined)
    return new FileError("no_match", `${first} No line of it occurs. View the file.`);
  const excerpt = lines
    .slice(near.start, Math.min(near.end, near.start + 20))
    .map((line, index) => `${near.start + index + 1}\t${line}`);
  return new FileError(
    "no_match",
    `${first} The most similar place begins at line ${near.start + 1}:\n${excerpt.join("\n")}`,
  );
}
