/** Returns ` Did you mean "a" or "b"?`, or an empty text if there are no names. */
export function didYouMean(names: readonly string[]): string {
  if (names.length === 0) return "";
  return ` Did you mean ${names.map((name) => `"${name}"`).join(" or ")}?`;
}
