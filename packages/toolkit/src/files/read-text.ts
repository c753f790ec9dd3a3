import type { FileHandle } from "node:fs/promises";

const chunkBytes = 256 * 1024;

/** Reads up to `length` bytes from the beginning. */
export async function readSample(handle: FileHandle, length: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Decodes a file in chunks, with only one chunk in memory. */
export async function* readText(
  handle: FileHandle,
  encoding: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly text: string; readonly bytesRead: number }> {
  const decoder = new TextDecoder(encoding);
  const buffer = Buffer.alloc(chunkBytes);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    position += bytesRead;
    const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    if (text !== "") yield { text, bytesRead: position };
    if (bytesRead === 0) return;
  }
}
