import { synonymsOf, synonymsInRun } from "./synonyms.ts";
import { queryWords, stem, unspacedRuns } from "./search-words.ts";

/** One of the words in a query, and its synonyms. */
export interface QueryClause {
  readonly terms: readonly {
    readonly term: string;
    /** 1 for the word itself, less for synonyms. */
    readonly weight: number;
  }[];
}

/** The weight of a synonym. */
const synonymWeight = 0.6;

/** The weight of a translation. It is higher, because a translation means the word itself. */
const translationWeight = 0.9;

/** The maximum number of words that are read of a query. */
const maxClauses = 40;

/**
 * Returns the words of a query with their synonyms, without repeated words.
 *
 * @param isKnown whether a tool has this term
 */
export function queryClauses(
  query: string,
  isKnown: (term: string) => boolean,
): readonly QueryClause[] {
  const clauses = new Map<string, QueryClause>();
  for (const { word, term } of queryWords(query)) {
    const found = synonymsOf(word, { isKnown: isKnown(term) });
    const weight = found.isTranslation ? translationWeight : synonymWeight;
    const terms = new Map<string, number>([[term, 1]]);
    for (const synonym of found.words) terms.set(stem(synonym), terms.get(stem(synonym)) ?? weight);
    clauses.set(term, clauseOf(terms));
  }
  for (const run of unspacedRuns(query))
    for (const { word, words } of synonymsInRun(run))
      clauses.set(word, clauseOf(new Map(words.map((each) => [stem(each), translationWeight]))));
  return [...clauses.values()]
    .filter(({ terms }) => terms.some(({ term }) => isKnown(term)))
    .slice(0, maxClauses);
}

function clauseOf(terms: ReadonlyMap<string, number>): QueryClause {
  return { terms: [...terms].map(([term, weight]) => ({ term, weight })) };
}
