/** A usage of no tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Returns the sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...((a.estimated ?? b.estimated) && { estimated: true }),
  };
}

/** Token counts as the provider reported them; 0 if it reported none. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** The loop estimated missing counts, because a limit needs them. */
  readonly estimated?: true;
}

/** Prices of a million tokens, all in one currency. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had cached. @default as `input` */
  readonly cachedInput?: number;
}

/**
 * Returns the cost of tokens, in the currency of the prices.
 *
 * @example costOf({ inputTokens: 1_000_000, outputTokens: 0 }, { input: 2, output: 8 }) // 2
 */
export function costOf(usage: Usage, prices: TokenPrices): number {
  const { input, output, cachedInput = input } = prices;
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const uncached = usage.inputTokens - cached;
  return (uncached * input + cached * cachedInput + usage.outputTokens * output) / 1_000_000;
}

/** Returns whether all prices are valid; otherwise computed costs are meaningless. */
export function arePrices(prices: Partial<TokenPrices> | null | undefined): boolean {
  const { input, output, cachedInput = 0 } = prices ?? {};
  return [input, output, cachedInput].every(
    (price) => Number.isFinite(price) && Number(price) >= 0,
  );
}
