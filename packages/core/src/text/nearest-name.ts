/** Longer names are compared by their beginning. */
const comparedLength = 80;

/**
 * The candidates that were probably meant, the likeliest first: the same but for case and
 * separators, then by edit distance, then those that contain the name or are contained in it.
 *
 * @param max at most so many
 * @example nearestNames("list_file", ["ListFiles", "ReadVar"]) // ["ListFiles"]
 */
export function nearestNames(
  name: string,
  candidates: Iterable<string>,
  max = 3,
): readonly string[] {
  const wanted = plain(name);
  if (wanted === "") return [];
  const allowed = Math.max(1, Math.floor(wanted.length / 4));
  const found: { readonly candidate: string; readonly score: number }[] = [];
  for (const candidate of candidates) {
    const score = distance(wanted, plain(candidate), allowed);
    if (score !== undefined) found.push({ candidate, score });
  }
  found.sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1));
  return found.slice(0, max).map(({ candidate }) => candidate);
}

function plain(name: string): string {
  return name
    .slice(0, comparedLength)
    .toLowerCase()
    .replace(/[\s_./-]+/g, "");
}

/** Lower is nearer; undefined: not meant. */
function distance(wanted: string, candidate: string, allowed: number): number | undefined {
  if (candidate === wanted) return 0;
  const edits = editDistance(wanted, candidate, allowed);
  if (edits !== undefined) return edits;
  const [short, long] =
    wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted];
  if (short.length < 3 || !long.includes(short)) return undefined;
  const rest = long.length - short.length;
  return long.startsWith(short) ? allowed + rest : allowed + comparedLength + rest;
}

const width = comparedLength + 2;
const table = new Uint8Array(width * width);

/**
 * Insertions, deletions, replacements and swaps of neighbours, if they are at most `allowed`.
 * Only the diagonal band that can stay within that is looked at.
 */
function editDistance(a: string, b: string, allowed: number): number | undefined {
  if (Math.abs(a.length - b.length) > allowed) return undefined;
  const at = (i: number, j: number): number =>
    Math.abs(i - j) > allowed ? allowed + 1 : (table[i * width + j] ?? 0);
  for (let j = 0; j <= Math.min(b.length, allowed); j++) table[j] = j;
  for (let i = 1; i <= a.length; i++) {
    table[i * width] = i;
    let best = i;
    for (let j = Math.max(1, i - allowed); j <= Math.min(b.length, i + allowed); j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = Math.min(at(i - 1, j - 1) + (same ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1);
      if (!same && isSwap(a, b, i, j)) edits = Math.min(edits, at(i - 2, j - 2) + 1);
      table[i * width + j] = edits;
      if (edits < best) best = edits;
    }
    if (best > allowed) return undefined;
  }
  const edits = at(a.length, b.length);
  return edits <= allowed ? edits : undefined;
}

function isSwap(a: string, b: string, i: number, j: number): boolean {
  return (
    i > 1 &&
    j > 1 &&
    a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
    a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
  );
}
