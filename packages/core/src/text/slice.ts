/**
 * Returns a piece of a text, by UTF-16 units from `start`; without `length`, to the end. An offset
 * that would split a surrogate pair moves behind the pair. So adjacent slices still add up to the
 * full text, and a slice of length 1 or more is never empty before the end.
 *
 * @example sliceText("abcdef", 2, 3) // "cde"
 */
export function sliceText(text: string, start: number, length?: number): string {
  const from = boundary(text, start);
  const to = length === undefined ? text.length : boundary(text, start + length);
  return text.slice(from, Math.max(from, to));
}

function boundary(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const splitsPair =
    (text.charCodeAt(index) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return splitsPair ? index + 1 : index;
}
