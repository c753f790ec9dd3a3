/** The usual constant of reciprocal rank fusion: the first ranks differ little. */
const damping = 60;

/**
 * Combines rankings by the ranks of their entries: reciprocal rank fusion. Entries with equal sums
 * have the order of the first ranking.
 *
 * @example fuseRankings([["a", "b"], ["b", "c"]]) // ["b", "a", "c"]
 */
export function fuseRankings(rankings: readonly (readonly string[])[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const ranking of rankings)
    for (const [place, id] of ranking.entries())
      sums.set(id, (sums.get(id) ?? 0) + 1 / (damping + place + 1));
  return [...sums].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}
