/** A part of a document that a search found, with its rank in each list. */
export interface RankedPart<Part> {
  readonly part: Part;
  /** The words of the part in their indexed form. */
  readonly words: ReadonlySet<string>;
  /** Its rank in the list of full-text search, from 0. @default not in the list */
  readonly textRank?: number;
  /** Its rank in the list of similar vectors, from 0. @default not in the list */
  readonly vectorRank?: number;
  /** The cosine between the vectors of the query and the part. */
  readonly similarity?: number;
}

/** A part with its score from 0 to 1. */
export interface ScoredPart<Part> {
  readonly part: Part;
  readonly score: number;
}

/** The usual constant of reciprocal rank fusion. */
const k = 60;

/**
 * Merges the results of full-text and vector search by reciprocal rank fusion, the best first.
 *
 * The score states how well a part matches the query. Without vectors, it is the share of the
 * query's words in the part, where rare words count more. With vectors, the similarity counts as
 * well. Up to a quarter of the score depends on the rank in both lists.
 */
export function rankParts<Part>(
  parts: readonly RankedPart<Part>[],
  queryWords: readonly string[],
): readonly ScoredPart<Part>[] {
  const query = [...new Set(queryWords)];
  const weights = new Map(
    query.map((word) => {
      const having = parts.filter(({ words }) => words.has(word)).length;
      return [word, Math.log(1 + (parts.length + 1) / (having + 0.5))];
    }),
  );
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const hasVectors = parts.some(({ vectorRank }) => vectorRank !== undefined);
  const best = (hasVectors ? 2 : 1) / (k + 1);
  const scored = parts.map(({ part, words, textRank, vectorRank, similarity = 0 }) => {
    let found = 0;
    for (const [word, weight] of weights) if (words.has(word)) found += weight;
    const coverage = total === 0 ? 0 : found / total;
    const relevance = hasVectors ? 0.4 * coverage + 0.6 * Math.max(similarity, 0) : coverage;
    const fused = reciprocal(textRank) + reciprocal(vectorRank);
    const score = relevance * (0.75 + 0.25 * (fused / best));
    return { part, score: Math.min(Math.max(score, 0), 1) };
  });
  return scored.toSorted((a, b) => b.score - a.score);
}

function reciprocal(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (k + 1 + rank);
}
