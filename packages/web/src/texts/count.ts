/** Formats a number with thousands separators, for example `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** @example plural(1, "call") // "1 call"; plural(3, "call") // "3 calls" */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** @example formatBytes(2048) // "2.0 KB" */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Formats a cost in the currency of the prices, which the page does not know.
 *
 * @example formatCost(12.345) // "12.35"; formatCost(0.00421) // "0.0042"; formatCost(0) // "0"
 */
export function formatCost(cost: number): string {
  if (cost === 0) return "0";
  if (cost >= 1)
    return cost.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (cost < 0.000_001) return "< 0.000001";
  return cost.toLocaleString("en-US", { maximumSignificantDigits: 2 });
}

/** @example formatShort(1234) // "1.2K"; formatShort(950) // "950" */
export function formatShort(count: number): string {
  return count.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 });
}
