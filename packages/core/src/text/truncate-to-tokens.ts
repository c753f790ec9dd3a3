import { truncate, type Truncated } from "./truncate.ts";

export interface TokenLimit {
  readonly tokens: number;
  readonly countTokens: (text: string) => number;
  /** Characters that are not passed, however few tokens they are. */
  readonly maxChars: number;
}

/** Characters of a token, to begin with. */
const usualChars = 4;
/** A cut that uses this much of the limit is good enough. */
const goodUse = 0.9;
const tries = 6;

/**
 * Cuts a text like `truncate`, to at most a number of tokens, the notice included. Tokens are
 * counted a few times, of texts about as long as what is shown, however long the whole is.
 */
export function truncateToTokens(text: string, limit: TokenLimit): Truncated {
  const { tokens, countTokens, maxChars } = limit;
  let chars = Math.min(tokens * usualChars, maxChars);
  let best: Truncated | undefined;
  for (let tried = 0; tried < tries; tried++) {
    const cut = truncate(text, chars);
    const used = countTokens(cut.text);
    if (used <= tokens) {
      best = best === undefined || cut.text.length > best.text.length ? cut : best;
      if (cut.omitted === 0 || used >= tokens * goodUse || chars >= maxChars) break;
    } else if (best !== undefined) break;
    // A little less than what would fit exactly: the next measure is not quite this one.
    const next = Math.floor((chars * tokens * 0.97) / Math.max(1, used));
    chars = Math.min(next === chars ? chars - 1 : next, maxChars);
  }
  return best ?? shrink(text, limit, chars);
}

/** Halves what is shown until it fits; where the notice alone is too much, only that is left. */
function shrink(text: string, { tokens, countTokens }: TokenLimit, from: number): Truncated {
  let chars = from;
  let cut = truncate(text, chars);
  while (chars > 0 && countTokens(cut.text) > tokens) {
    chars = Math.floor(chars / 2);
    cut = truncate(text, chars);
  }
  return cut;
}
