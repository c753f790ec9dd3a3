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
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
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
  if (Math.abs(candidate.length - wanted.length) <= allowed) {
    const edits = editDistance(wanted, candidate, allowed);
    if (edits <= allowed) return edits;
  }
  const [short, long] =
    wanted.length < candidate.length ? [wanted, candidate] : [candidate, wanted];
  if (short.length < 3) return undefined;
  if (long.startsWith(short)) return allowed + 1 + long.length - short.length;
  return long.includes(short) ? allowed + comparedLength + long.length - short.length : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours; gives up beyond `allowed`. */
function editDistance(a: string, b: string, allowed: number): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let left = i;
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = Math.min((last[j - 1] ?? 0) + (same ? 0 : 1), (last[j] ?? 0) + 1, left + 1);
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) edits = Math.min(edits, (before[j - 2] ?? 0) + 1);
      row.push(edits);
      left = edits;
      if (edits < best) best = edits;
    }
    if (best > allowed) return best;
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
