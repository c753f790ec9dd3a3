import type { Segments } from "./count-request.ts";

/** What a request and its answer cost. */
export interface Cost {
  /** Tokens sent and answered. */
  readonly tokens: number;
  /** The same where a provider caches what a request begins with. */
  readonly priced: number;
}

/** Of a token's price: read from the cache, and written to it. */
const read = 0.1;
const write = 1.25;

/**
 * What a conversation's requests cost, in order. What one begins with like any before it is read
 * from the cache, the rest is written to it. Tokens of the answer count as they are.
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
