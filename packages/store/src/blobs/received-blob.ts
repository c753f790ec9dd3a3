import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes that were received and are not a blob yet. */
export interface ReceivedBlob {
  readonly sha256: string;
  readonly size: number;
  /** Makes them a blob. Resolves when it is durable. */
  keep(): Promise<void>;
  /** Deletes the received bytes; a blob that `keep` made stays. */
  discard(): Promise<void>;
}

/** A range of bytes; `to` is the first byte after it. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Writes pieces to a file while they arrive, and returns their hash and their size. */
export async function writePieces(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    size += piece.length;
    // `writeFile` of a handle continues at its position and writes every byte.
    await file.writeFile(piece);
  }
  return { sha256: hash.digest("hex"), size };
}

/** Bytes in a temporary file without a name, which vanishes with the process. */
export interface SpooledBytes {
  readonly sha256: string;
  readonly size: number;
  /** Reads the bytes from the start, in pieces of at most this many bytes. */
  read(pieceBytes: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** Writes pieces to a temporary file. */
export async function spool(pieces: AsyncIterable<Uint8Array>): Promise<SpooledBytes> {
  const path = join(tmpdir(), `capstan-${randomUUID()}.tmp`);
  const file = await open(path, "wx+", 0o600);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  try {
    await rm(path, { force: true });
    const { sha256, size } = await writePieces(file, pieces);
    return {
      sha256,
      size,
      async *read(pieceBytes) {
        for (let from = 0; from < size;) {
          const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - from));
          const { bytesRead } = await file.read(piece, 0, piece.length, from);
          if (bytesRead === 0) throw new Error("The temporary file of an upload was truncated.");
          yield piece.subarray(0, bytesRead);
          from += bytesRead;
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
