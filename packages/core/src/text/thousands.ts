/**
 * A whole number as people read it. Not `toLocaleString`, which costs more than a whole call.
 *
 * @example thousands(1234567) // "1,234,567"
 */
export function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
