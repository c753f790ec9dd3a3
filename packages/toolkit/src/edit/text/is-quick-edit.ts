import type { Edit } from "./apply-edits.ts";

/** The longest text, in characters. */
const longestText = 8_000_000;
/** The longest search, in characters: it bounds the time for one piece. */
const longestSearch = 2_000;
const pieceLength = 65_536;
const mostMs = 15;

/**
 * Returns whether an edit of a long text takes only some milliseconds: one edit whose search occurs
 * exactly as it is, and once. Most searches take a millisecond for 5 MB, but the time of a search
 * that almost matches everywhere grows with the product of both lengths. So this function searches
 * piece by piece, and stops when the time is over. It counts the lines too, because an edit does.
 *
 * @param now the clock, in milliseconds
 */
export function isQuickEdit(
  text: string,
  edits: readonly Edit[],
  now: () => number = () => performance.now(),
): boolean {
  const [edit] = edits;
  if (edit === undefined || edits.length > 1 || edit.all === true) return false;
  const { search } = edit;
  if (search === "" || search.length > longestSearch || text.length > longestText) return false;
  const end = now() + mostMs;
  let found = 0;
  for (let at = 0; at < text.length && found < 2; at += pieceLength) {
    if (now() > end) return false;
    found += count(text.slice(at, at + pieceLength + search.length - 1), search);
    count(text.slice(at, at + pieceLength), "\n");
  }
  return found === 1;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
