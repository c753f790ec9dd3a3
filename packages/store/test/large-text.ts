/** Returns a text of 0.1 to 1 MB, which differs for each run and number. */
export function largeText(runId: string, n: number): string {
  return `${runId} ${n} `.repeat(12_000 * ((n % 10) + 1));
}
