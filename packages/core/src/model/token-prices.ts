import type { Usage } from "./usage.ts";

/** What a million tokens cost, in one currency throughout. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had cached. @default as `input` */
  readonly cachedInput?: number;
}

/**
 * What tokens cost, in the currency of the prices.
 *
 * @example costOf({ inputTokens: 1_000_000, outputTokens: 0 }, { input: 2, output: 8 }) // 2
 */
export function costOf(usage: Usage, prices: TokenPrices): number {
  const { input, output, cachedInput = input } = prices;
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const fresh = usage.inputTokens - cached;
  return (fresh * input + cached * cachedInput + usage.outputTokens * output) / 1_000_000;
}

/** Whether each price is one: else nothing that is counted from them means anything. */
export function arePrices(prices: Partial<TokenPrices> | null | undefined): boolean {
  const { input, output, cachedInput = 0 } = prices ?? {};
  return [input, output, cachedInput].every(
    (price) => Number.isFinite(price) && Number(price) >= 0,
  );
}
