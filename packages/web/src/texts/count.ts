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
