/** Only the beginnings of longer names are compared. */
const comparedLength = 80;

/**
 * Returns the candidates that were probably meant, the likeliest first: equal except for case and
 * separators, then by edit distance, then by whether one name contains the other.
 *
 * @param max the maximum number of candidates
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

/** Returns the distance: lower is nearer, and undefined means no match. */
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

/**
 * Returns the insertions, deletions, replacements and swaps of neighbours, if they are at most
 * `allowed`.
 */
function editDistance(a: string, b: string, allowed: number): number | undefined {
  if (Math.abs(a.length - b.length) > allowed) return undefined;
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  const edits = at(a.length, b.length);
  return edits <= allowed ? edits : undefined;
}
