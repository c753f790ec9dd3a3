import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** Facts that need all bytes of a file. */
export interface FileFacts {
  readonly sha256: string;
  /** The number of line ends of each kind; for text in UTF-8 or a similar encoding. */
  readonly lineEnds: { readonly lf: number; readonly crlf: number };
  /** Whether bytes follow the last line end. */
  readonly hasOpenLine: boolean;
}

const chunkBytes = 256 * 1024;

/** Reads a file once, with one chunk in memory. */
export async function readFacts(
  handle: FileHandle,
  options: { readonly signal: AbortSignal; readonly onBytes: (done: number) => void },
): Promise<FileFacts> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(chunkBytes);
  let [lf, crlf, last] = [0, 0, 0x0a];
  for (let position = 0; ;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) {
      const before = at === 0 ? last : chunk[at - 1];
      if (before === 0x0d) crlf++;
      else lf++;
    }
    last = chunk.at(-1) ?? last;
    options.onBytes(position);
  }
  return { sha256: hash.digest("hex"), lineEnds: { lf, crlf }, hasOpenLine: last !== 0x0a };
}
