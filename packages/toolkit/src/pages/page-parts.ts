/** Characters of one page of a long text: with its header it fits into the limit of a result. */
export const pageLength = 7_000;

/**
 * Splits a text into pages, at the end of a paragraph or line if there is one in a page's last
 * third. The pages add up to the text, and there is always at least one.
 */
export function splitPages(text: string, length: number = pageLength): readonly string[] {
  const pages: string[] = [];
  let from = 0;
  while (text.length - from > length) {
    const to = cutBefore(text, from, from + length);
    pages.push(text.slice(from, to));
    from = to;
  }
  pages.push(text.slice(from));
  return pages;
}

function cutBefore(text: string, from: number, end: number): number {
  const earliest = from + Math.ceil(((end - from) * 2) / 3);
  for (const mark of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(mark, end - mark.length);
    if (at >= earliest) return at + mark.length;
  }
  // Never splits a surrogate pair.
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff && end - 1 > from ? end - 1 : end;
}

export interface Excerpt {
  /** The offset of the match, in characters. */
  readonly position: number;
  /** The page of the match, from 1. */
  readonly page: number;
  readonly text: string;
}

const around = 250;

/**
 * Finds a text literally, ignoring case. Matches in the same excerpt are returned once.
 *
 * @param max excerpts to return; all matches are counted
 */
export function findInPage(
  text: string,
  query: string,
  max: number = 10,
): { readonly matches: number; readonly excerpts: readonly Excerpt[] } {
  const starts = pageStarts(text);
  const excerpts: Excerpt[] = [];
  let matches = 0;
  let shownTo = -1;
  for (const { index } of text.matchAll(literal(query))) {
    matches++;
    if (index < shownTo || excerpts.length === max) continue;
    const from = Math.max(0, index - around);
    const to = Math.min(text.length, index + query.length + around);
    shownTo = to;
    excerpts.push({
      position: index,
      page: starts.findLastIndex((start) => start <= index) + 1,
      text: `${from > 0 ? "…" : ""}${text.slice(from, to).toWellFormed().trim()}${to < text.length ? "…" : ""}`,
    });
  }
  return { matches, excerpts };
}

/** Returns a pattern for literal text, which has no repetition and is therefore never slow. */
function literal(query: string): RegExp {
  return new RegExp(RegExp.escape(query), "giu");
}

/** Returns the offsets at which the pages of a text start. */
export function pageStarts(text: string): readonly number[] {
  let start = 0;
  return splitPages(text).map((page) => {
    const at = start;
    start += page.length;
    return at;
  });
}
