import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

/** An entry of an archive, with its size after unpacking. */
export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
}

/** The first entries of an archive, and the number of all. */
export interface ArchiveEntries {
  readonly entries: readonly ArchiveEntry[];
  readonly total: number;
}

const mostShown = 200;
/** Archives with a longer list are not read. */
const mostEntries = 100_000;
const longestDirectory = 8 * 1024 * 1024;
/** Compressed archives that are larger after decompression are not read. */
const mostDecompressed = 512 * 1024 * 1024;

/**
 * Lists the entries of a ZIP, TAR or compressed TAR archive (tar.gz) without unpacking it. Returns
 * `undefined` for other files, and for archives that are corrupt or too large.
 */
export async function archiveEntries(
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): Promise<ArchiveEntries | undefined> {
  const start = await readAt(handle, 0, 512);
  if (start.subarray(0, 2).equals(Buffer.from("PK"))) return zipEntries(handle, size);
  if (start.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
    return compressedTarEntries(handle, signal);
  return isTarHeader(start) ? tarEntries(handle, size, signal) : undefined;
}

async function zipEntries(handle: FileHandle, size: number): Promise<ArchiveEntries | undefined> {
  // The record at the end is followed by a comment of at most 65,535 bytes.
  const tailStart = Math.max(0, size - 65_557);
  const tail = await readAt(handle, tailStart, size - tailStart);
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06"));
  if (end < 0 || end + 22 > tail.length) return undefined;
  const total = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (length > longestDirectory || offset + length > size) return undefined;
  const directory = await readAt(handle, offset, length);
  const entries: ArchiveEntry[] = [];
  for (let at = 0; entries.length < Math.min(total, mostShown);) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== 0x02_01_4b_50)
      return undefined;
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + 46, at + 46 + nameLength);
    entries.push({ name, size: directory.readUInt32LE(at + 24) });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return { entries, total };
}

async function tarEntries(
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): Promise<ArchiveEntries | undefined> {
  const list = new TarList();
  for (let at = 0; at + 512 <= size;) {
    signal.throwIfAborted();
    const header = await readAt(handle, at, 512);
    if (!isTarHeader(header)) break;
    const length = list.add(header);
    if (length === undefined) return undefined;
    at += 512 + length;
  }
  return list.read();
}

/** Decompresses the archive chunk by chunk, and keeps only its headers. */
async function compressedTarEntries(
  handle: FileHandle,
  signal: AbortSignal,
): Promise<ArchiveEntries | undefined> {
  const list = new TarList();
  // `handle.createReadStream` would close the handle.
  const decompressed = pipeline(piecesOf(handle), createGunzip(), () => {});
  let header = Buffer.alloc(0);
  let skipped = 0;
  let size = 0;
  try {
    for await (const piece of decompressed as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      size += piece.length;
      if (size > mostDecompressed) return undefined;
      for (let at = 0; at < piece.length;) {
        const step = Math.min(skipped, piece.length - at);
        skipped -= step;
        at += step;
        if (skipped > 0 || at >= piece.length) break;
        const taken = piece.subarray(at, at + 512 - header.length);
        header = Buffer.concat([header, taken]);
        at += taken.length;
        if (header.length < 512) break;
        if (!isTarHeader(header)) return list.read();
        const length = list.add(header);
        if (length === undefined) return undefined;
        skipped = length;
        header = Buffer.alloc(0);
      }
    }
    return list.read();
  } catch (error) {
    signal.throwIfAborted();
    // Other errors are failures to read the file.
    if (String((error as NodeJS.ErrnoException).code).startsWith("Z_")) return undefined;
    throw error;
  } finally {
    decompressed.destroy();
  }
}

async function* piecesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const piece = await readAt(handle, at, 64 * 1024);
    if (piece.length === 0) return;
    at += piece.length;
    yield piece;
  }
}

/** The entries of a TAR archive, by their headers. */
class TarList {
  readonly #entries: ArchiveEntry[] = [];
  #total = 0;

  /**
   * Returns the length of the entry's content with its padding, or `undefined` if it is corrupt.
   */
  add(header: Buffer): number | undefined {
    const size = Number.parseInt(textAt(header, 124, 12).trim(), 8);
    if (!(size >= 0) || ++this.#total > mostEntries) return undefined;
    const prefix = textAt(header, 345, 155);
    const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(header, 0, 100)}`;
    if (this.#entries.length < mostShown) this.#entries.push({ name, size });
    return 512 * Math.ceil(size / 512);
  }

  /** Returns `undefined` if there was no header. */
  read(): ArchiveEntries | undefined {
    return this.#total === 0 ? undefined : { entries: this.#entries, total: this.#total };
  }
}

function isTarHeader(header: Buffer): boolean {
  return header.toString("latin1", 257, 262) === "ustar";
}

function textAt(header: Buffer, start: number, length: number): string {
  const [text = ""] = header.toString("utf8", start, start + length).split("\0", 1);
  return text;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
