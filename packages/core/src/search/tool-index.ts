import { fields, type Field, type SearchableTool, type ToolText, toolText } from "./tool-text.ts";
import { type QueryClause, queryClauses } from "./query-clauses.ts";

/** The saturation of word frequency, `k1` of BM25: the lower, the less further occurrences add. */
const saturation = 1.2;

/** The maximum number of characters that are read of a query. */
const maxQueryChars = 1_000;

/** A tool that matches a query. */
export interface FoundTool {
  readonly id: string;
  readonly score: number;
}

/**
 * The weights of tools that users called after a search, by word of the query: one more search
 * field.
 */
export interface UsageWeights {
  /** From 0 to 1, by the id of a tool. */
  readonly weightsOf: (term: string) => ReadonlyMap<string, number> | undefined;
}

/** Finds tools by words. */
export interface ToolIndex {
  /** Returns the tools that match a query, the most relevant first. */
  search(query: string, options?: SearchOptions): readonly FoundTool[];
}

interface SearchOptions {
  /** The maximum number of results. @default 5 */
  readonly limit?: number;
  readonly usage?: UsageWeights;
}

/** The weight of a term's own rarity. The rest is the weight of the rarity of the whole clause. */
const ownRarity = 0.25;

/** The part of a score that depends on how many words of the query a tool matches. */
const coverage = 0.4;

/** The weight of a word in the field of the queries after which a tool was called. */
const usageWeight = 2;

const texts = new WeakMap<object, ToolText>();

/** Returns the terms of a tool, which are cached by its definition. */
function readToolText(tool: SearchableTool): ToolText {
  const known = texts.get(tool.definition);
  if (known !== undefined) return known;
  const text = toolText(tool);
  texts.set(tool.definition, text);
  return text;
}

interface Posting {
  readonly tool: number;
  /** The occurrences in all fields, weighted and relative to the fields' lengths. */
  readonly frequency: number;
}

/**
 * Creates an index over tools: BM25F over the parts of their names, titles, descriptions, parameters
 * and groups.
 */
export function createToolIndex(tools: readonly SearchableTool[]): ToolIndex {
  const steps = toolIndexSteps(tools);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Creates an index like `createToolIndex`, in steps of one tool each, because thousands of tools in
 * one step would block a server's other requests for a second.
 */
export function* toolIndexSteps(tools: readonly SearchableTool[]): Generator<void, ToolIndex> {
  const read: ToolText[] = [];
  for (const tool of tools) {
    read.push(readToolText(tool));
    yield;
  }
  const postings = yield* postingsInSteps(read);
  const places = new Map(tools.map(({ id }, place) => [id, place]));
  const idf = (matching: number): number =>
    Math.log(1 + (tools.length - matching + 0.5) / (matching + 0.5));

  /** Returns the number of tools that have any of these terms. */
  const toolsWith = (terms: QueryClause["terms"]): number => {
    const having = new Set<number>();
    for (const { term } of terms) for (const { tool } of postings.get(term) ?? []) having.add(tool);
    return having.size;
  };

  return {
    search(query, { limit = 5, usage } = {}) {
      const isKnown = (term: string): boolean =>
        postings.has(term) || usage?.weightsOf(term) !== undefined;
      const clauses = queryClauses(query.slice(0, maxQueryChars), isKnown);
      const scores = new Float64Array(tools.length);
      const matched = new Uint16Array(tools.length);
      for (const { terms } of clauses) {
        // Synonyms of one word are one match, so only the best of them counts.
        const best = new Map<number, number>();
        const add = (tool: number, score: number): void => {
          if (score > (best.get(tool) ?? 0)) best.set(tool, score);
        };
        const shared = idf(toolsWith(terms));
        for (const { term, weight } of terms) {
          const list = postings.get(term) ?? [];
          const rarity = weight * (ownRarity * idf(list.length) + (1 - ownRarity) * shared);
          for (const { tool, frequency } of list)
            add(tool, (rarity * frequency) / (saturation + frequency));
          if (weight < 1) continue;
          for (const [id, used] of usage?.weightsOf(term) ?? []) {
            const tool = places.get(id);
            if (tool !== undefined) add(tool, usageWeight * used * idf(1));
          }
        }
        for (const [tool, score] of best) {
          scores[tool] = (scores[tool] ?? 0) + score;
          matched[tool] = (matched[tool] ?? 0) + 1;
        }
      }
      return bestTools({ tools, scores, matched, clauses: clauses.length, limit });
    },
  };
}

function bestTools({
  tools,
  scores,
  matched,
  clauses,
  limit,
}: {
  readonly tools: readonly SearchableTool[];
  readonly scores: Float64Array;
  readonly matched: Uint16Array;
  readonly clauses: number;
  readonly limit: number;
}): readonly FoundTool[] {
  const found: FoundTool[] = [];
  for (const [place, { id }] of tools.entries()) {
    const score = scores[place] ?? 0;
    // A tool that matches more of the query's words is more likely meant.
    if (score > 0)
      found.push({
        id,
        score: score * (1 - coverage + (coverage * (matched[place] ?? 0)) / clauses),
      });
  }
  // The sort is stable: of equal scores, the tool that is registered earlier comes first.
  return found.toSorted((a, b) => b.score - a.score).slice(0, limit);
}

function* postingsInSteps(
  all: readonly ToolText[],
): Generator<void, ReadonlyMap<string, readonly Posting[]>> {
  const names = Object.keys(fields) as Field[];
  const average = Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, text) => sum + text[name].length, 0) / all.length]),
  );
  const postings = new Map<string, Posting[]>();
  for (const [tool, text] of all.entries()) {
    const frequencies = new Map<string, number>();
    for (const name of names) {
      const { weight, length } = fields[name];
      const relative = text[name].length / Math.max(average[name] ?? 0, 1);
      const each = weight / (1 - length + length * relative);
      for (const term of text[name]) frequencies.set(term, (frequencies.get(term) ?? 0) + each);
    }
    for (const [term, frequency] of frequencies) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [{ tool, frequency }]);
      else list.push({ tool, frequency });
    }
    yield;
  }
  return postings;
}
