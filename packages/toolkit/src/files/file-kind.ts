/** The encodings that a byte order mark indicates. */
export type MarkedEncoding = "utf-8" | "utf-16le" | "utf-16be";

export type FileKind =
  | { readonly type: "text"; readonly encoding: MarkedEncoding }
  | { readonly type: "image"; readonly mimeType: string }
  | { readonly type: "binary"; readonly name: string };

/** Number of bytes at a file's start from which its kind is detected. */
export const kindSampleBytes = 8192;

const images: readonly (readonly [readonly number[], string])[] = [
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"],
  [[0xff, 0xd8, 0xff], "image/jpeg"],
  [[0x47, 0x49, 0x46, 0x38], "image/gif"],
];

const binaries: readonly (readonly [readonly number[], string])[] = [
  [[0x25, 0x50, 0x44, 0x46, 0x2d], "a PDF document"],
  [[0x50, 0x4b, 0x03, 0x04], "a ZIP archive, or an Office document"],
  [[0x1f, 0x8b], "gzip data"],
  [[0x42, 0x5a, 0x68], "bzip2 data"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "XZ data"],
  [[0x28, 0xb5, 0x2f, 0xfd], "Zstandard data"],
  [[0x37, 0x7a, 0xbc, 0xaf], "a 7-Zip archive"],
  [[0x7f, 0x45, 0x4c, 0x46], "a program (ELF)"],
  [[0x4d, 0x5a], "a program (Windows)"],
  [[0xcf, 0xfa, 0xed, 0xfe], "a program (Mach-O)"],
  [[0x00, 0x61, 0x73, 0x6d], "a WebAssembly module"],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66], "an SQLite database"],
  [[0x49, 0x44, 0x33], "MP3 sound"],
  [[0x4f, 0x67, 0x67, 0x53], "Ogg sound or video"],
];

/**
 * Returns the kind of a file from its first bytes, regardless of its name.
 *
 * @param sample the first `kindSampleBytes` bytes, or all of a shorter file
 */
export function fileKind(sample: Uint8Array): FileKind {
  const image = images.find(([magic]) => startsWith(sample, magic));
  if (image !== undefined) return { type: "image", mimeType: image[1] };
  if (ascii(sample, 0, 4) === "RIFF" && ascii(sample, 8, 12) === "WEBP") {
    return { type: "image", mimeType: "image/webp" };
  }
  if (startsWith(sample, [0xff, 0xfe])) return { type: "text", encoding: "utf-16le" };
  if (startsWith(sample, [0xfe, 0xff])) return { type: "text", encoding: "utf-16be" };
  const nul = sample.includes(0);
  // A text can start with a short magic number, for example "MZ" or "BZh".
  const binary = binaries.find(([magic]) => startsWith(sample, magic) && (nul || magic.length > 3));
  if (binary !== undefined) return { type: "binary", name: binary[1] };
  if (startsWith(sample, [0x1f, 0x8b])) return { type: "binary", name: "gzip data" };
  if (nul || mostlyControls(sample)) return { type: "binary", name: "binary data" };
  return { type: "text", encoding: "utf-8" };
}

function startsWith(sample: Uint8Array, magic: readonly number[]): boolean {
  return sample.length >= magic.length && magic.every((byte, i) => sample[i] === byte);
}

function ascii(sample: Uint8Array, from: number, to: number): string {
  return String.fromCodePoint(...sample.subarray(from, to));
}

/** Returns whether more than a tenth of the characters do not occur in texts. */
function mostlyControls(sample: Uint8Array): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (
      byte < 0x20 &&
      byte !== 0x09 &&
      byte !== 0x0a &&
      byte !== 0x0c &&
      byte !== 0x0d &&
      byte !== 0x1b
    ) {
      controls++;
    }
  }
  return controls * 10 > sample.length;
}
