import type { FileHandle } from "node:fs/promises";

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

/**
 * Lists the entries of a ZIP or TAR archive without unpacking it. Undefined for other files, and
 * for archives that are damaged or too large.
 */
export async function archiveEntries(
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): Promise<ArchiveEntries | undefined> {
  const start = await readAt(handle, 0, 512);
  if (start.subarray(0, 2).equals(Buffer.from("PK"))) return zipEntries(handle, size);
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
  const entries: ArchiveEntry[] = [];
  let total = 0;
  for (let at = 0; at + 512 <= size;) {
    signal.throwIfAborted();
    const header = await readAt(handle, at, 512);
    if (!isTarHeader(header)) break;
    const length = Number.parseInt(textAt(header, 124, 12).trim(), 8);
    if (!(length >= 0) || ++total > mostEntries) return undefined;
    const prefix = textAt(header, 345, 155);
    const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(header, 0, 100)}`;
    if (entries.length < mostShown) entries.push({ name, size: length });
    at += 512 * (1 + Math.ceil(length / 512));
  }
  return { entries, total };
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
