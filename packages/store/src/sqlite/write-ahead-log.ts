import type { FileHandle } from "node:fs/promises";

/** The readable part of a write-ahead log. */
export interface LogEnd {
  /**
   * The offset of the first unreadable frame, in bytes; SQLite opens the database with the last
   * commit before it. 0: the header is wrong.
   */
  readonly offset: number;
  /**
   * The number of recognizable commit frames of the same log after that offset.
   */
  readonly commitsBehind: number;
}

/** The first word of a log specifies the byte order of its checksums. */
const littleEndian = 0x377f0682;
const bigEndian = 0x377f0683;
const headerSize = 32;
const frameHeaderSize = 24;
/** The approximate number of bytes per read. */
const pieceSize = 1 << 20;

/**
 * Reads a log as SQLite does when it opens one. A frame is valid if it has the header's salts and
 * its checksum over all frames so far is correct. Older frames, written before SQLite last
 * restarted the log, can follow; they have other salts.
 *
 * The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 *
 * @returns undefined if no frame follows the header
 */
export async function readLogEnd(file: FileHandle): Promise<LogEnd | undefined> {
  const header = new DataView(new ArrayBuffer(headerSize));
  await file.read(header, 0, headerSize, 0);
  if ((await file.stat()).size <= headerSize) return undefined;
  const magic = header.getUint32(0);
  const isLittle = magic === littleEndian;
  const pageSize = header.getUint32(8);
  let sum = added([0, 0], new DataView(header.buffer, 0, 24), isLittle);
  if (!(isLittle || magic === bigEndian) || !hasAt(header, 24, sum))
    return { offset: 0, commitsBehind: 0 };
  const salts: Words = [header.getUint32(16), header.getUint32(20)];

  const size = frameHeaderSize + pageSize;
  const piece = new DataView(new ArrayBuffer(size * Math.ceil(pieceSize / size)));
  let isWhole = true;
  let offset = headerSize;
  let commitsBehind = 0;
  for (let position = headerSize; ; position += piece.byteLength) {
    const { bytesRead } = await file.read(piece, 0, piece.byteLength, position);
    for (let at = 0; at + size <= bytesRead; at += size) {
      const frame = new DataView(piece.buffer, at, size);
      const isOurs = hasAt(frame, 8, salts);
      if (isWhole && isOurs) sum = withFrame(sum, frame, isLittle);
      isWhole &&= isOurs && hasAt(frame, 16, sum);
      if (isWhole) offset += size;
      else if (isOurs && isCommit(frame)) commitsBehind++;
    }
    if (bytesRead < piece.byteLength) return { offset, commitsBehind };
  }
}

/** Two words of 32 bits: a checksum, or the salts. */
type Words = readonly [number, number];

function hasAt(view: DataView, at: number, [first, second]: Words): boolean {
  return view.getUint32(at) === first && view.getUint32(at + 4) === second;
}

/**
 * Returns whether a frame ends a commit: it has the number of pages of the database, and other
 * frames have 0.
 */
function isCommit(frame: DataView): boolean {
  const page = frame.getUint32(0);
  return page > 0 && page <= frame.getUint32(4);
}

/** Adds a frame to a checksum: the page's number, the commit mark, and the page. */
function withFrame(sum: Words, frame: DataView, isLittle: boolean): Words {
  const start = new DataView(frame.buffer, frame.byteOffset, 8);
  const page = new DataView(
    frame.buffer,
    frame.byteOffset + frameHeaderSize,
    frame.byteLength - frameHeaderSize,
  );
  return added(added(sum, start, isLittle), page, isLittle);
}

function added([first, second]: Words, data: DataView, isLittle: boolean): Words {
  for (let at = 0; at < data.byteLength; at += 8) {
    first = (first + data.getUint32(at, isLittle) + second) >>> 0;
    second = (second + data.getUint32(at + 4, isLittle) + first) >>> 0;
  }
  return [first, second];
}
