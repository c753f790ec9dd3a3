/** The width and the height of a picture, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a PNG, JPEG, GIF or WebP picture from its header. Returns `undefined` if the
 * header is corrupt, or longer than the sample.
 *
 * @param sample the first bytes of the file
 */
export function imageSize(sample: Uint8Array): ImageSize | undefined {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, sample.length);
  try {
    if (bytes.subarray(1, 4).equals(Buffer.from("PNG")))
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    if (bytes.subarray(0, 3).equals(Buffer.from("GIF")))
      return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    if (bytes.readUInt16BE(0) === 0xff_d8) return jpegSize(bytes);
    return webpSize(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Skips the segments of a JPEG up to the frame header, which has the size. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; bytes.readUInt8(at) === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return {
        width: bytes.readUInt16LE(26) & 0x3f_ff,
        height: bytes.readUInt16LE(28) & 0x3f_ff,
      };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3f_ff) + 1, height: ((bits >>> 14) & 0x3f_ff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
