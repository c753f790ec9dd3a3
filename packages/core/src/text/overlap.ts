/** How much two texts have in common at both ends, in UTF-16 code units. */
export interface Overlap {
  readonly head: number;
  readonly tail: number;
}

/**
 * The longest beginning and, behind it, the longest end that both texts have. The two never
 * overlap, in neither of the texts.
 *
 * @example overlap("one two three", "one … three") // { head: 4, tail: 6 }
 */
export function overlap(one: string, other: string): Overlap {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one.charCodeAt(head) === other.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < most - head &&
    one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail)
  )
    tail++;
  return { head, tail };
}
