import type { Segments } from "./count-request.ts";

/** The cost of a request and its answer. */
export interface Cost {
  /** Tokens of the request and of the answer. */
  readonly tokens: number;
  /** The same for a provider that caches the prefixes of requests. */
  readonly priced: number;
}

/** Fractions of a token's price for reading from and writing to the cache. */
const read = 0.1;
const write = 1.25;

/**
 * The costs of a conversation's requests, in order. The longest prefix that an earlier request
 * shares is read from the cache, and the rest is written to it. Tokens of the answer have their
 * full price.
 */
export function costsOf(
  requests: readonly { readonly segments: Segments; readonly answered: number }[],
): readonly Cost[] {
  return requests.map(({ segments, answered }, index) => {
    const cached = Math.max(
      0,
      ...requests.slice(0, index).map((before) => sharedTokens(before.segments, segments)),
    );
    const sent = tokensOf(segments);
    return {
      tokens: sent + answered,
      priced: cached * read + (sent - cached) * write + answered,
    };
  });
}

export function sum(costs: readonly Cost[]): Cost {
  return {
    tokens: costs.reduce((total, { tokens }) => total + tokens, 0),
    priced: costs.reduce((total, { priced }) => total + priced, 0),
  };
}

function tokensOf(segments: Segments): number {
  return segments.reduce((total, { tokens }) => total + tokens, 0);
}

function sharedTokens(before: Segments, now: Segments): number {
  let shared = 0;
  for (const [index, { text, tokens }] of now.entries()) {
    if (before[index]?.text !== text) break;
    shared += tokens;
  }
  return shared;
}
