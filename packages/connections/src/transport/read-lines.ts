const [lineFeed, carriageReturn] = [0x0a, 0x0d] as const;

/** A line that is complete, or the end of reading because a line is too long. */
export type Line =
  | { readonly status: "line"; readonly parts: readonly Buffer[]; readonly size: number }
  | { readonly status: "too_long" };

/**
 * Splits a stream into lines of bounded length. Returns a function that takes the next bytes and
 * yields the lines that they complete, without their ends.
 *
 * @param options.longest in bytes
 * @param options.returns whether a carriage return alone also ends a line, as in event streams
 */
export function lineReader(options: {
  readonly longest: number;
  readonly returns?: boolean;
}): (chunk: Uint8Array) => Generator<Line, void> {
  const { longest, returns = false } = options;
  let parts: Buffer[] = [];
  let size = 0;
  /** Whether a line feed at the start of the next bytes belongs to the last line's end. */
  let skipsFeed = false;
  return function* (chunk) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = skipsFeed && bytes[0] === lineFeed ? 1 : 0;
    if (bytes.length > 0) skipsFeed = false;
    let nextFeed = bytes.indexOf(lineFeed, from);
    let nextReturn = returns ? bytes.indexOf(carriageReturn, from) : -1;
    for (;;) {
      const isReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed);
      const at = isReturn ? nextReturn : nextFeed;
      const piece = bytes.subarray(from, at === -1 ? undefined : at);
      size += piece.length;
      if (size > longest) {
        parts = [];
        yield { status: "too_long" };
        return;
      }
      if (piece.length > 0) parts.push(piece);
      if (at === -1) return;
      const line = { status: "line", parts, size } as const;
      parts = [];
      size = 0;
      from = at + 1;
      if (isReturn && bytes[from] === lineFeed) from += 1;
      else if (isReturn && from === bytes.length) skipsFeed = true;
      if (nextFeed !== -1 && nextFeed < from) nextFeed = bytes.indexOf(lineFeed, from);
      if (nextReturn !== -1 && nextReturn < from) nextReturn = bytes.indexOf(carriageReturn, from);
      yield line;
    }
  };
}
