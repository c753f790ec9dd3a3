import { DataProblem } from "./data-problem.ts";

/**
 * Decodes a file by its byte order mark, as UTF-8, or as Windows-1252 if it is not UTF-8.
 *
 * @param encoding the encoding that the caller names
 * @throws DataProblem if the encoding is unknown
 */
export function decodeText(bytes: Uint8Array, encoding?: string): string {
  const [first, second] = bytes;
  if (encoding !== undefined) return decoderOf(encoding).decode(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw new DataProblem(
      "invalid_data",
      `"${encoding}" is not a known encoding. Examples: utf-8, utf-16le, windows-1252, shift_jis, gb18030.`,
    );
  }
}
