import type { FileHandle } from "node:fs/promises";

/** The last lines of a text, or less of them if they are too long. */
export interface TakenTail {
  readonly text: string;
  /** Whether the beginning of the lines is omitted. */
  readonly cut: boolean;
}

const blockBytes = 64 * 1024;

/**
 * Returns the last lines of a file. Reads it backwards from its end, so a line end must be one byte
 * in its encoding.
 */
export async function takeTail(
  handle: FileHandle,
  options: {
    readonly size: number;
    readonly lines: number;
    readonly encoding: string;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<TakenTail> {
  const { size, lines, encoding, maxBytes, signal } = options;
  const blocks: Buffer[] = [];
  let start = size;
  let found = 0;
  let taken = 0;
  while (start > 0 && taken < maxBytes) {
    signal.throwIfAborted();
    const length = Math.min(blockBytes, start);
    const block = Buffer.alloc(length);
    await handle.read(block, 0, length, start - length);
    start -= length;
    // A line end at the end of the file belongs to the last line.
    for (let at = length; ;) {
      at = at === 0 ? -1 : block.lastIndexOf(0x0a, at - 1);
      if (at < 0) break;
      if (start + at === size - 1) continue;
      if (++found < lines) continue;
      blocks.unshift(block.subarray(at + 1));
      return { text: decode(blocks, encoding), cut: false };
    }
    blocks.unshift(block);
    taken += length;
  }
  return { text: decode(blocks, encoding), cut: start > 0 };
}

function decode(blocks: readonly Buffer[], encoding: string): string {
  return new TextDecoder(encoding).decode(Buffer.concat(blocks));
}
